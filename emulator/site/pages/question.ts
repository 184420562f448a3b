import type { HttpReply } from '../../http-types.ts'
import { html } from '../html/html.ts'
import { type PlaceName, placePath } from '../site-routes.ts'
import type { Visitor } from '../visitor.ts'
import { type FormTarget, formFor } from './form.ts'
import { sitePage } from './layout.ts'

interface Question {
  readonly heading: string
  /** What follows from a yes. */
  readonly text: string
  readonly yes: { readonly label: string; readonly form: FormTarget }
  readonly no: { readonly label: string; readonly place: PlaceName; readonly parameter: string }
}

/** Asks before something that cannot be undone. */
export function questionPage(visitor: Visitor, { heading, text, yes, no }: Question): HttpReply {
  const back = html`<a href="${visitor.root}${placePath(no.place, no.parameter)}">${no.label}</a>`
  const answers = html`<p>${text}</p>
<p class="row"><button class="danger">${yes.label}</button> ${back}</p>`
  return sitePage(visitor, {
    heading,
    content: formFor(visitor, { ...yes.form, className: 'card' }, answers),
    look: 'narrow',
  })
}

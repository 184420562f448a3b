import type { HttpResponse } from '../../http.ts'
import { html } from '../html/html.ts'
import { type PlaceName, placePath } from '../site-routes.ts'
import type { Visitor } from '../visitor.ts'
import { type FormTarget, formFor } from './form.ts'
import { sitePage } from './layout.ts'

/** Asks before something that cannot be undone. @param words what follows from a yes, and its button */
export function questionPage(
  visitor: Visitor,
  heading: string,
  [text, yes]: readonly [string, string],
  { form, no }: { readonly form: Pick<FormTarget, 'place' | 'parameter'>; readonly no: PlaceName },
): HttpResponse {
  const back = html`<a href="${visitor.root}${placePath(no, form.parameter)}">${visitor.say.layout.keep}</a>`
  const answers = html`<p>${text}</p>
<p class="row"><button class="danger">${yes}</button> ${back}</p>`
  const content = formFor(visitor, { ...form, className: 'card' }, answers)
  return sitePage(visitor, { heading, content, look: 'narrow' })
}

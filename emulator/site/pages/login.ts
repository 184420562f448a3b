import type { HttpReply } from '../../http-types.ts'
import { html } from '../html/html.ts'
import { fromField } from '../place.ts'
import type { Visitor } from '../visitor.ts'
import { formField, formFor, type notice } from './form.ts'
import { sitePage } from './layout.ts'

interface LoginPage {
  readonly notice?: ReturnType<typeof notice> | undefined
  /** What the visitor has entered before. */
  readonly email?: string
  /** The path of the page to come back to. */
  readonly from: string
}

/** The page where a visitor signs in. */
export function loginPage(visitor: Visitor, { notice, email, from }: LoginPage): HttpReply {
  const { login } = visitor.say
  const fields = html`${formField({ name: 'email', label: login.email, type: 'email', value: email ?? '', autocomplete: 'username' })}
${formField({ name: 'password', label: login.password, type: 'password', autocomplete: 'current-password' })}
<button>${login.submit}</button>`
  const content = html`${notice}
${formFor(visitor, { place: 'login', fields: { [fromField]: from } }, fields)}`
  return sitePage(visitor, { heading: login.heading, content, place: 'login' })
}

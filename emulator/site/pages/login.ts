import type { HttpResponse } from '../../http.ts'
import type { FirstAccount } from '../../service/sign-in/first-sign-in.ts'
import { type Html, html } from '../html/html.ts'
import { fromField } from '../place.ts'
import type { Visitor } from '../visitor.ts'
import { formField, formFor } from './form.ts'
import { sitePage } from './layout.ts'

interface LoginPage {
  readonly notice?: Html
  readonly problem?: string
  readonly email?: string
  /** The sign-in that everyone knows; absent if this visitor cannot use it. */
  readonly demo?: FirstAccount | undefined
  /** The path of the page to come back to. */
  readonly from: string
}

export function loginPage(visitor: Visitor, { notice, problem, email, from, demo }: LoginPage): HttpResponse {
  const { login } = visitor.say
  const fields = html`${formField({ name: 'email', label: login.email, type: 'email', value: email ?? '', autocomplete: 'username' })}
${formField({ name: 'password', label: login.password, type: 'password', autocomplete: 'current-password' })}
<button>${login.submit}</button>`
  return sitePage(visitor, {
    heading: login.heading,
    content: html`${formFor(visitor, { place: 'login', fields: { [fromField]: from }, className: 'card' }, fields)}
${demo !== undefined && html`<p class="soft">${login.demo} <code>${demo.email}</code> / <code>${demo.password ?? ''}</code></p>`}`,
    place: 'login',
    look: 'narrow',
    ...(notice !== undefined && { notice }),
    problem: problem === undefined ? undefined : { field: 'password', label: login.password, text: problem },
  })
}

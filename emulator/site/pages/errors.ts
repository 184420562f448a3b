import type { HttpResponse } from '../../http.ts'
import { html } from '../html/html.ts'
import type { Visitor } from '../visitor.ts'
import { sitePage } from './layout.ts'

/** The status of each page of refusal, by the name of its heading in the texts. */
const statuses = {
  notFound: 404,
  methodNotAllowed: 405,
  foreignForm: 403,
  strangeName: 403,
  /** Laravel's for a page that has expired. */
  expiredForm: 419,
  uploadTooLarge: 413,
  unreadableForm: 400,
} as const

/** @param methods what a place takes, for `Allow` */
export function refusalPage(visitor: Visitor, refusal: keyof typeof statuses, methods?: string): HttpResponse {
  const { errors } = visitor.say
  const isOfForm = refusal === 'expiredForm' || refusal === 'unreadableForm'
  const [to, label] = isOfForm ? [visitor.path, errors.openAgain] : ['', errors.home]
  const content = html`<p>${errors[`${refusal}Explained`]}</p>
<p><a class="button quiet" href="${visitor.root}${to}">${label}</a></p>`
  const reply = sitePage(visitor, { status: statuses[refusal], heading: errors[refusal], content, look: 'narrow' })
  return methods === undefined ? reply : { ...reply, headers: { ...reply.headers, Allow: methods } }
}

import type { HttpReply } from '../../http-types.ts'
import { html } from '../html/html.ts'
import type { Texts } from '../texts/texts.ts'
import type { Visitor } from '../visitor.ts'
import { sitePage } from './layout.ts'

/** What a page of refusal says, and its status. */
const refusals = {
  'not-found': { status: 404, heading: 'notFound', text: 'notFoundExplained' },
  'method-not-allowed': { status: 405, heading: 'methodNotAllowed', text: 'methodNotAllowedExplained' },
  'foreign-form': { status: 403, heading: 'foreignForm', text: 'foreignFormExplained' },
  'strange-name': { status: 403, heading: 'strangeName', text: 'strangeNameExplained' },
  /** Laravel's status for a page that has expired. */
  'expired-form': { status: 419, heading: 'expiredForm', text: 'expiredFormExplained' },
  'upload-too-large': { status: 413, heading: 'uploadTooLarge', text: 'uploadTooLargeExplained' },
  'unreadable-form': { status: 400, heading: 'unreadableForm', text: 'unreadableFormExplained' },
} as const satisfies Readonly<Record<string, ErrorWords>>

interface ErrorWords {
  readonly status: number
  readonly heading: keyof Texts['errors']
  readonly text: keyof Texts['errors']
}

export type SiteRefusal = keyof typeof refusals

/** @param methods what a place takes, for `Allow` */
export function refusalPage(visitor: Visitor, refusal: SiteRefusal, methods?: string): HttpReply {
  const { errors } = visitor.say
  const { status, heading, text } = refusals[refusal]
  const isOfForm = refusal === 'expired-form' || refusal === 'unreadable-form'
  const again = isOfForm && html`\n<p><a href="${visitor.root}${visitor.path}">${errors.openAgain}</a></p>`
  const content = html`<p>${errors[text]}</p>${again}`
  const reply = sitePage(visitor, { status, heading: errors[heading], content, look: 'narrow' })
  return methods === undefined ? reply : { ...reply, headers: { ...reply.headers, Allow: methods } }
}

import type { HttpReply } from '../http-types.ts'
import { type Exchange, emptyBody, keptStream, keptText } from '../service/exchanges.ts'
import type { RequestContext } from './request-context.ts'

/** The reply to be sent; what is read of a stream is kept as the context's `sent`. */
export function withKeptBody(reply: HttpReply, context: RequestContext): HttpReply {
  const { body } = reply
  if (body === null) return reply
  if (typeof body === 'object' && Symbol.asyncIterator in body) {
    const kept = emptyBody()
    context.sent = kept
    return { ...reply, body: keptStream(body, kept) }
  }
  context.sent = keptText(body)
  return reply
}

/** @param reply undefined if nothing answers */
export function exchangeOf(context: RequestContext, reply: HttpReply | undefined, durationMs: number): Exchange {
  const { request, entry, key, received, sent, verdict, fault } = context
  const { origin, url, httpVersion } = request
  return { request: entry, key, origin, url, httpVersion, received, reply, sent, verdict, fault, durationMs }
}

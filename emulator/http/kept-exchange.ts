import type { HttpReply } from '../http-types.ts'
import { type Exchange, type ExchangeLog, emptyBody, type KeptBody } from '../service/exchanges.ts'
import type { RequestContext } from './request-context.ts'

type Keeper = Pick<ExchangeLog, 'keep' | 'keepWhole'>

/** The reply to be sent; what is read of a stream is kept as the context's `sent`. */
export function withKeptBody(reply: HttpReply, context: RequestContext, keeper: Keeper): HttpReply {
  const { body } = reply
  if (body === null) return reply
  if (typeof body === 'object' && Symbol.asyncIterator in body) {
    const kept = emptyBody()
    context.sent = kept
    return { ...reply, body: keptStream(body, kept, keeper) }
  }
  context.sent = keeper.keepWhole(body)
  return reply
}

async function* keptStream(body: AsyncIterable<Uint8Array>, kept: KeptBody, { keep }: Keeper) {
  for await (const chunk of body) {
    keep(kept, chunk)
    yield chunk
  }
}

/** @param reply undefined if nothing answers */
export function exchangeOf(context: RequestContext, reply: HttpReply | undefined, durationMs: number): Exchange {
  const { request, entry, key, received, sent, verdict, fault } = context
  const { origin, url, httpVersion } = request
  // Without the body, which is kept elsewhere.
  const answered = reply && { status: reply.status, headers: reply.headers }
  return { request: entry, key, origin, url, httpVersion, received, reply: answered, sent, verdict, fault, durationMs }
}

import type { HttpReply } from '../exchange.ts'
import { httpDate } from './http-date.ts'

interface Finish {
  readonly isHead: boolean
  /** Epoch milliseconds. */
  readonly now: number
  /** Headers beside the reply's own. */
  readonly more: HttpReply['headers'] | undefined
}

/** A reply as it is sent: with the headers every answer has, and to a HEAD without its body. */
export function finishReply({ status, headers, body }: HttpReply, { isHead, now, more }: Finish): HttpReply {
  const isWhole = typeof body === 'string' || body instanceof Uint8Array
  const length = isWhole ? { 'Content-Length': String(Buffer.byteLength(body)) } : {}
  const all = { 'Cache-Control': 'no-cache, private', ...headers, Date: httpDate(now), ...more, ...length }
  return { status, headers: all, body: isHead ? null : body }
}

import { isUint8Array } from 'node:util/types'
import type { HttpReply } from '../../http-types.ts'

/** What `finishReply` adds. */
export interface Finish {
  readonly isHead: boolean
  /** Epoch milliseconds. */
  readonly now: number
  /** Further headers: cross-origin access and quota. */
  readonly access: HttpReply['headers'] | undefined
  readonly rate: HttpReply['headers'] | undefined
}

/** The reply as sent: with the headers every reply has, and without a body for HEAD. */
export function finishReply({ status, headers, body }: HttpReply, { isHead, now, access, rate }: Finish): HttpReply {
  const isWhole = typeof body === 'string' || isUint8Array(body)
  const length = isWhole ? { 'Content-Length': String(Buffer.byteLength(body)) } : {}
  // One spread: spreading an already spread object takes ten times as long, on every request.
  const all = { 'Cache-Control': 'no-cache, private', ...headers, Date: httpDate(now), ...access, ...rate, ...length }
  return { status, headers: all, body: isHead ? null : body }
}

let lastSecond = Number.NaN
let lastText = ''

/** An HTTP date; every reply has one, so it is formatted once per second. */
export function httpDate(epochMs: number): string {
  const second = Math.floor(epochMs / 1_000)
  if (second !== lastSecond) {
    lastSecond = second
    lastText = new Date(second * 1_000).toUTCString()
  }
  return lastText
}

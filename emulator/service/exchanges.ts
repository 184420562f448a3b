import { createSystemClock } from '../clock/clock.ts'
import type { FaultAction } from '../faults/fault.ts'
import type { QuotaVerdict } from './quota/quota.ts'

/** Kept of each body. */
export const mostBodyBytes = 65_536
/** Kept of the newest requests, and of all their bodies together. */
const [mostExchanges, mostBytes] = [500, 16 * 1_048_576]

/** The beginning of a body. */
export interface KeptBody {
  /** Its first `kept` bytes, with room for more; or the text that it is; neither if later bodies have taken its place. */
  bytes: Buffer | undefined
  text: string | undefined
  kept: number
  /** Of the whole body, as far as it was read. */
  size: number
}

/** What was sent both ways, secrets included: {@link file://./../control/request-detail.ts} hides them. */
export interface Exchange {
  /** Of the request in the log. */
  readonly number: number
  readonly key: string | undefined
  /** Scheme, host and port; path and query as sent. */
  readonly origin: string
  readonly url: string
  readonly httpVersion: string | undefined
  readonly received: KeptBody | undefined
  /** What answered; undefined if nothing did. */
  readonly reply: { readonly status: number; readonly headers: Readonly<Record<string, string>> } | undefined
  readonly sent: KeptBody | undefined
  readonly verdict: QuotaVerdict | undefined
  readonly fault: FaultAction | undefined
  /** Of this machine's time, from the arrival until the answer was made. */
  readonly durationMs: number
}

export function emptyBody(): KeptBody {
  return { bytes: undefined, text: undefined, kept: 0, size: 0 }
}

/** The newest requests to the API with what was sent both ways. In memory only. */
export class ExchangeLog {
  readonly #clock = createSystemClock()
  #kept: Exchange[] = []
  /** Those that have bytes, in the order of their first ones. */
  #bodies: KeptBody[] = []
  #taken = 0

  /** Milliseconds of this machine's time. */
  readonly now = () => this.#clock.monotonic?.() ?? this.#clock.now()

  /** Keeps a copy: a small piece would keep the large one that it was received in, and thousands of them an object each. */
  readonly keep = (body: KeptBody, chunk: Uint8Array): void => {
    body.size += chunk.length
    const piece = chunk.subarray(0, mostBodyBytes - body.kept)
    const isGone = body.kept > 0 && body.bytes === undefined
    if (piece.length === 0 || isGone) return
    const { bytes: held = Buffer.alloc(0), kept } = body
    const needed = kept + piece.length
    if (needed > held.length) {
      body.bytes = Buffer.allocUnsafeSlow(Math.min(Math.max(needed, 2 * held.length), mostBodyBytes))
      held.copy(body.bytes, 0, 0, kept)
    }
    body.bytes?.set(piece, kept)
    body.kept = needed
    this.#take(body, (body.bytes?.length ?? 0) - held.length, kept === 0)
  }

  #take(body: KeptBody, more: number, isNew: boolean): void {
    if (isNew) this.#bodies.push(body)
    this.#taken += more
    while (this.#taken > mostBytes) {
      const oldest = this.#bodies.shift()
      if (oldest === undefined) return
      this.#taken -= oldest.bytes?.length ?? oldest.kept
      oldest.bytes = oldest.text = undefined
    }
  }

  /** Keeps the beginning of an answer that is sent whole: one in ASCII as the text that it is. */
  keepWhole(answer: string | Uint8Array): KeptBody {
    const body = emptyBody()
    if (typeof answer === 'string' && answer.length <= mostBodyBytes && Buffer.byteLength(answer) === answer.length) {
      body.text = answer
      body.kept = body.size = answer.length
      this.#take(body, answer.length, answer !== '')
    } else this.keep(body, Buffer.from(answer as string))
    return body
  }

  /** Call once the record of a request is whole. */
  add(exchange: Exchange): void {
    this.#kept.push(exchange)
    if (this.#kept.length > mostExchanges) this.#kept.shift()
  }

  /** Call when the log was replaced. */
  forget(): void {
    this.#kept = []
  }

  /** What was sent with a request of the log; undefined if it is no longer kept. */
  of(number: number): Exchange | undefined {
    const exchange = this.#kept.find((one) => one.number === number)
    const isGone = (body: KeptBody | undefined) => (body?.kept ?? 0) > 0 && (body?.bytes ?? body?.text) === undefined
    return isGone(exchange?.received) || isGone(exchange?.sent) ? undefined : exchange
  }
}

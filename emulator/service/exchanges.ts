import { createSystemClock } from '../clock/clock.ts'
import type { FaultAction } from '../faults/fault.ts'
import type { RequestRecord } from '../storage/records.ts'
import type { QuotaVerdict } from './quota/quota.ts'

/** Kept of each body. */
export const mostBodyBytes = 65_536
/** Kept of the newest requests, and of all their bodies together. */
const [mostExchanges, mostBytes] = [500, 16 * 1_048_576]

/** The beginning of a body. */
export interface KeptBody {
  /** Of these, `kept` bytes are in use. */
  bytes: Uint8Array
  kept: number
  /** Of the whole body, as far as it was read. */
  size: number
}

/** What was sent both ways, secrets included: {@link file://./../control/request-detail.ts} hides them. */
export interface Exchange {
  readonly request: RequestRecord
  readonly key: string | undefined
  /** Scheme, host and port; path and query as sent. */
  readonly origin: string
  readonly url: string
  readonly httpVersion: string | undefined
  readonly received: KeptBody | undefined
  /** What answered; undefined if nothing did. */
  readonly reply: { readonly status: number; readonly headers: Readonly<Record<string, string>> } | undefined
  readonly sent: KeptBody | string | undefined
  readonly verdict: QuotaVerdict | undefined
  readonly fault: FaultAction | undefined
  /** Of this machine's time, from the arrival until the answer was made. */
  readonly durationMs: number
}

export function emptyBody(): KeptBody {
  return { bytes: new Uint8Array(), kept: 0, size: 0 }
}

/** Keeps a copy: a small piece would keep the large one that it was received in, and thousands of them an object each. */
export function keepPiece(body: KeptBody, chunk: Uint8Array): void {
  body.size += chunk.length
  const piece = chunk.subarray(0, mostBodyBytes - body.kept)
  const needed = body.kept + piece.length
  if (needed > body.bytes.length) {
    const grown = new Uint8Array(Math.min(Math.max(needed, 2 * body.kept), mostBodyBytes))
    grown.set(body.bytes.subarray(0, body.kept))
    body.bytes = grown
  }
  body.bytes.set(piece, body.kept)
  body.kept = needed
}

export function createExchangeLog() {
  const clock = createSystemClock()
  const now = () => clock.monotonic?.() ?? clock.now()
  // With what each was counted as: the body of a request that was refused early goes on arriving.
  const kept: { readonly exchange: Exchange; readonly counted: number }[] = []
  let bytes = 0

  const add = (exchange: Exchange): void => {
    const counted = bytesOf(exchange)
    kept.push({ exchange, counted })
    bytes += counted
    while (kept.length > mostExchanges || bytes > mostBytes) bytes -= kept.shift()?.counted ?? 0
  }

  return {
    /** Milliseconds of this machine's time. */
    now,
    /** Call once the record of a request is whole. */
    add,
    /** What was sent with a request of the log; undefined if it is no longer kept. */
    of: (request: RequestRecord): Exchange | undefined =>
      kept.findLast(({ exchange }) => exchange.request === request)?.exchange,
  }
}

/** The newest requests to the API with what was sent both ways. In memory only. */
export type ExchangeLog = ReturnType<typeof createExchangeLog>

/** What is kept of an answer that was sent whole. */
export function keptText(body: string | Uint8Array): KeptBody | string {
  // A page of a long list: only its beginning may stay in memory.
  if (typeof body === 'string' && body.length <= mostBodyBytes) return body
  const kept = emptyBody()
  keepPiece(kept, Buffer.from(body as string))
  return kept
}

/** What is read of a stream is kept too. */
export async function* keptStream(body: AsyncIterable<Uint8Array>, kept: KeptBody): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    keepPiece(kept, chunk)
    yield chunk
  }
}

/** A stream counts as if all of it were kept. */
function bytesOf({ received, sent }: Exchange): number {
  const answered = typeof sent === 'string' ? sent.length : sent === undefined ? 0 : mostBodyBytes
  return answered + (received?.bytes.length ?? 0)
}

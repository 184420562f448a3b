import { createSystemClock } from '../clock/clock.ts'
import type { FaultAction } from '../faults/fault.ts'
import { isAscii } from '../values/byte-length.ts'
import type { QuotaVerdict } from './quota/quota.ts'

/** Kept of each body. */
export const mostBodyBytes = 65_536
/** An ASCII answer of so many bytes is kept as the text that it is. A longer one is copied: as garbage it would cost more. */
const mostTextBytes = 2_048
/** Kept of the newest requests, and of all their bodies together. */
const [mostExchanges, mostBytes, blockBytes] = [500, 16 * 1_048_576, 1_048_576]

/** Memory for so many bytes, until as many bytes as there are in all were taken after it. */
interface Room {
  readonly bytes: Buffer
  /** How many bytes were taken before it. */
  readonly start: number
}

/** The beginning of a body. */
export interface KeptBody {
  /** Has its first `kept` bytes; undefined before the first. */
  room: Room | undefined
  /** All of it, instead. */
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
  return { room: undefined, text: undefined, kept: 0, size: 0 }
}

export function createExchangeLog() {
  const clock = createSystemClock()
  /** Made as they are first needed, and used round and round: what is allocated for each body would soon be garbage. */
  const blocks: Buffer[] = []
  let taken = 0
  /** The newest; the place of each is the number of those before it, without whole rounds. */
  const kept: Exchange[] = []
  let added = 0
  let latest = ''

  const take = (length: number): Room => {
    const left = blockBytes - (taken % blockBytes)
    if (length > left) taken += left
    const start = taken
    taken += length
    const place = Math.floor(start / blockBytes) % (mostBytes / blockBytes)
    const block = blocks[place] ?? Buffer.allocUnsafeSlow(blockBytes)
    blocks[place] = block
    return { bytes: block.subarray(start % blockBytes, (start % blockBytes) + length), start }
  }
  /** Whether later bodies have taken the place of a body. */
  const isGone = (body: KeptBody | undefined) => body?.room !== undefined && taken - body.room.start > mostBytes

  /** Keeps a copy: a small piece would keep the large one that it was received in, and thousands of them an object each. */
  const keep = (body: KeptBody, chunk: Uint8Array): void => {
    body.size += chunk.length
    const piece = body.size <= mostBodyBytes ? chunk : chunk.subarray(0, mostBodyBytes - body.kept)
    if (piece.length === 0 || isGone(body)) return
    const needed = body.kept + piece.length
    if (body.room === undefined || needed > body.room.bytes.length) {
      const larger = take(Math.min(Math.max(needed, 2 * body.kept), mostBodyBytes))
      if (body.room !== undefined) larger.bytes.set(body.room.bytes.subarray(0, body.kept))
      body.room = larger
    }
    body.room.bytes.set(piece, body.kept)
    body.kept = needed
  }

  return {
    /** Milliseconds of this machine's time. */
    now: () => clock.monotonic?.() ?? clock.now(),
    keep,
    /** Keeps the beginning of an answer that is sent whole. */
    keepWhole(answer: string | Uint8Array): KeptBody {
      const body = emptyBody()
      if (typeof answer !== 'string' || answer.length > mostBodyBytes || !isAscii(answer)) {
        keep(body, Buffer.from(answer as string))
        return body
      }
      body.kept = answer.length
      body.size = answer.length
      // A client that asks for a page again gets the same text.
      if (answer.length <= mostTextBytes || answer === latest) body.text = answer
      else {
        body.room = take(answer.length)
        body.room.bytes.write(answer, 'latin1')
      }
      latest = answer
      return body
    },
    /** Call once the record of a request is whole. */
    add(exchange: Exchange): void {
      kept[added % mostExchanges] = exchange
      added += 1
    },
    /** Call when the log was replaced. */
    forget(): void {
      kept.length = 0
      added = 0
    },
    /** What was sent with a request of the log; undefined if it is no longer kept. */
    of(number: number): Exchange | undefined {
      const exchange = kept.find((one) => one.number === number)
      return exchange === undefined || isGone(exchange.received) || isGone(exchange.sent) ? undefined : exchange
    },
  }
}

/** The newest requests to the API with what was sent both ways. In memory only. */
export type ExchangeLog = ReturnType<typeof createExchangeLog>

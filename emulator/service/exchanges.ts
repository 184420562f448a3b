import { createSystemClock } from '../clock/clock.ts'
import type { FaultAction } from '../faults/fault.ts'
import type { RequestRecord } from '../storage/records.ts'
import { byteLengthOf } from '../values/byte-length.ts'
import { createBodyMemory, isLost, type Room } from './body-memory.ts'
import type { QuotaVerdict } from './quota/quota.ts'

/** Kept of each body. */
export const mostBodyBytes = 65_536
/** An ASCII answer of so many bytes is kept as the text that it is: less than 1 MiB in all. */
const mostTextBytes = 2_048
/** Kept of the newest requests, and of all their bodies together but those kept as texts. */
const [mostExchanges, mostBytes] = [500, 15 * 1_048_576]

/** The beginning of a body. */
export interface KeptBody {
  /** Has its first `kept` bytes; undefined before the first. */
  room: Room | undefined
  /** All of it, instead. */
  text: string | undefined
  kept: number
  /** Of the whole body, as far as it was read. */
  size: number
  /** As many bytes as its sender has declared. */
  readonly declared: number
  /** Whether its exchange is in the log. */
  isLogged: boolean
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
  readonly sent: KeptBody | undefined
  readonly verdict: QuotaVerdict | undefined
  readonly fault: FaultAction | undefined
  /** Of this machine's time, from the arrival until the answer was made. */
  readonly durationMs: number
}

/** A declared length is believed up to so many times what has arrived. */
const DECLARED_SHARE = 64

export function emptyBody(declared = 0): KeptBody {
  return { room: undefined, text: undefined, kept: 0, size: 0, declared, isLogged: false }
}

export function createExchangeLog() {
  const clock = createSystemClock()
  const now = () => clock.monotonic?.() ?? clock.now()
  const memory = createBodyMemory(mostBytes, mostExchanges)
  /** The newest; the place of each is the number of those before it, without whole rounds. */
  const kept: Exchange[] = []
  let added = 0

  /** What does not fit into its room gets a larger one. */
  const roomFor = (body: KeptBody, needed: number): Room => {
    const { room } = body
    if (room !== undefined && needed <= room.bytes.length) return room
    // A length that is far from what has arrived may be a lie.
    const declared = Math.min(body.declared, DECLARED_SHARE * needed)
    const larger = memory.take(Math.min(Math.max(needed, 2 * body.kept, declared), mostBodyBytes), added)
    if (room !== undefined) larger.bytes.set(room.bytes.subarray(0, body.kept))
    // Of a body that goes on after the answer was made, the room before was closed then.
    const left = body.isLogged ? larger : room
    if (left !== undefined) memory.close(left, added)
    return larger
  }

  let copied: { readonly ascii: string; readonly room: Room } | undefined
  /** A client that asks for a page again gets the same text: one copy does for both. */
  const copyOf = (ascii: string): Room => {
    if (copied?.ascii === ascii && memory.reopen(copied.room, added)) return copied.room
    const room = memory.take(ascii.length, added)
    room.bytes.write(ascii, 'latin1')
    copied = { ascii, room }
    return room
  }

  /** Keeps a copy: a small piece would keep the large one that it was received in, and thousands of them an object each. */
  const keep = (body: KeptBody, chunk: Uint8Array): void => {
    body.size += chunk.length
    const piece = body.size <= mostBodyBytes ? chunk : chunk.subarray(0, mostBodyBytes - body.kept)
    if (piece.length === 0 || isGone(body)) return
    body.room = roomFor(body, body.kept + piece.length)
    body.room.bytes.set(piece, body.kept)
    body.kept += piece.length
  }

  return {
    /** Milliseconds of this machine's time. */
    now,
    keep,
    /** Keeps the beginning of an answer that is sent whole. */
    keepWhole(answer: string | Uint8Array): KeptBody {
      const size = typeof answer === 'string' ? byteLengthOf(answer) : answer.length
      const body = emptyBody(size)
      if (typeof answer !== 'string' || size > answer.length || size > mostBodyBytes) {
        keep(body, Buffer.from(answer as string))
        return body
      }
      body.kept = size
      body.size = size
      if (size > mostTextBytes) body.room = copyOf(answer)
      else body.text = answer
      return body
    },
    /** Call once the record of a request is whole. */
    add(exchange: Exchange): void {
      kept[added % mostExchanges] = exchange
      for (const body of [exchange.received, exchange.sent]) {
        if (body?.room) memory.close(body.room, added)
        if (body) body.isLogged = true
      }
      added += 1
    },
    /** What was sent with a request of the log; undefined if it is no longer kept. */
    of(request: RequestRecord): Exchange | undefined {
      const exchange = kept.find((one) => one.request === request)
      return exchange === undefined || isGone(exchange.received) || isGone(exchange.sent) ? undefined : exchange
    },
  }
}

/** The newest requests to the API with what was sent both ways. In memory only. */
export type ExchangeLog = ReturnType<typeof createExchangeLog>

/** Whether later bodies have taken the place of a body. */
function isGone(body: KeptBody | undefined): boolean {
  return body?.room !== undefined && isLost(body.room)
}

import type { ClientEvent } from '../../../index.ts'
import type { Forecast, OutcomeWord } from '../events.ts'

type Wait = Extract<ClientEvent, { type: 'wait' }>

/** What a file of a batch does at the moment. Times are milliseconds of the run's steady clock. */
export type Activity =
  | { readonly type: 'preparing' }
  | { readonly type: 'moving'; readonly bytes: number }
  /** Sent completely, not answered yet. */
  | { readonly type: 'storing' }
  | { readonly type: 'waiting'; readonly until: number; readonly wait: Pick<Wait, 'window' | 'source'> }
  | { readonly type: 'retrying'; readonly until: number; readonly reason: string }
  /** Reads the list of uploads to find out whether it was stored. */
  | { readonly type: 'checking' }

export interface Transfer {
  /** Its place in the batch, from 0. */
  readonly index: number
  readonly name: string
  /** In bytes; undefined while unknown. */
  size: number | undefined
  activity: Activity
}

/** What is older weighs less, by half for each of these. */
const HALF_LIFE_MS = 5_000
/** Before, buffers that fill at once make a rate look too high. */
const TRUSTED_AFTER_MS = 2_000
/** Weighted: less than this stands still, and tells no time. */
const LEAST_BYTES = 100
/** A process looks each second at least, unless it was stopped: by Ctrl-Z, or with the whole machine. */
const LONGEST_LOOK_MS = 3_000
const BETWEEN_FORECASTS_MS = 2_000
/** A forecast of many files takes long: so much longer until the next, for each of them. */
const PAUSE_PER_FILE_MS = 1
/** A forecast that differs by more than this share, and by more than these milliseconds, is shown at once. */
const [JUMP_SHARE, JUMP_MS] = [0.5, 3_000]
/** Otherwise the time shown moves towards it by this share, so that it does not jump to and fro with the link. */
const FOLLOWED_SHARE = 0.25

/** The files of a batch: what has ended, what moves, and what time is left. `now` is that of a steady clock. */
export class Transfers {
  readonly total: number
  /** How many files have ended so far, by how. */
  readonly outcomes = new Map<OutcomeWord, number>()
  readonly #sizes: (number | undefined)[]
  readonly #finished = new Set<number>()
  /** By line on the screen: a file keeps its line while others start and finish. */
  readonly #lines: (Transfer | undefined)[] = []
  /** What moved while something was in transfer, and in what time; weighted. */
  #lately = { bytes: 0, ms: 0 }
  /** Whether a file has arrived: that proves what moved, whatever buffers there are. */
  #hasProof = false
  #lookedAt: number | undefined
  #forecast: Forecast | undefined
  /** When the batch ends, as shown, and when to ask for that again. */
  #expected: { readonly endsAt: number | undefined; readonly dueAt: number } | undefined

  /** @param sizes in bytes, undefined where one is not known */
  constructor(total: number, sizes: readonly (number | undefined)[]) {
    this.total = total
    this.#sizes = Array.from({ length: total }, (_, index) => sizes[index])
  }

  /** @param size in bytes, if known */
  start(index: number, name: string, size?: number): void {
    if (size !== undefined) this.#sizes[index] = size
    const free = this.#lines.indexOf(undefined)
    this.#lines[free === -1 ? this.#lines.length : free] = { index, name, size, activity: { type: 'preparing' } }
  }

  /** @param bytes sent in this attempt, or received */
  move(index: number, bytes: number, size: number | undefined, now: number): void {
    const transfer = this.#transferOf(index)
    if (transfer === undefined) return
    const before = transfer.activity.type === 'moving' ? transfer.activity.bytes : bytes
    // Bytes of an earlier run do not count for the rate.
    this.#look(now, Math.max(bytes - before, 0))
    transfer.size = size
    transfer.activity = size !== undefined && bytes >= size ? { type: 'storing' } : { type: 'moving', bytes }
  }

  event(index: number, event: ClientEvent, now: number): void {
    this.#look(now)
    const transfer = this.#transferOf(index)
    if (transfer === undefined) return
    if (event.type === 'wait') {
      transfer.activity = { type: 'waiting', until: now + event.delayMs, wait: event }
    } else if (event.type === 'retry') {
      transfer.activity = { type: 'retrying', until: now + event.delayMs, reason: event.reason }
    } else if (event.type === 'request') {
      // Besides the POST, an upload only requests the list.
      const isSent = event.request.method === 'POST'
      transfer.activity = isSent ? { type: 'moving', bytes: 0 } : { type: 'checking' }
    }
  }

  /** @param size in bytes, also for a file that did not have to be transferred */
  finish(index: number, outcome: OutcomeWord, size?: number): void {
    const transfer = this.#transferOf(index)
    this.#sizes[index] = size ?? transfer?.size ?? 0
    this.#finished.add(index)
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1)
    this.#hasProof ||= this.#lately.bytes > 0
    if (transfer !== undefined) this.#lines[this.#lines.indexOf(transfer)] = undefined
  }

  /** From now on times left can be told. */
  expect(forecast: Forecast): void {
    this.#forecast = forecast
  }

  get ended(): number {
    return this.#finished.size
  }

  /** Those under way, by line on the screen. */
  get underWay(): readonly Transfer[] {
    return this.#lines.filter((transfer) => transfer !== undefined)
  }

  /** Of finished files and files in transfer; `total` is undefined while not all sizes are known. */
  get bytes(): { readonly total: number | undefined; readonly moved: number } {
    const isKnown = this.#sizes.every((size) => size !== undefined)
    const finished = [...this.#finished].map((index) => this.#sizes[index])
    return {
      total: isKnown ? sum(this.#sizes) : undefined,
      moved: sum([...finished, ...this.underWay.map(movedBytes)]),
    }
  }

  /** The finished share of the batch, from 0 to 1: a quota counts files, not bytes. */
  get share(): number {
    const parts = this.underWay.map((transfer) => (transfer.size ? movedBytes(transfer) / transfer.size : 0))
    return this.total === 0 ? 1 : (this.ended + sum(parts)) / this.total
  }

  /** Bytes per second of all transfers together, while something moves; undefined while it cannot be trusted. */
  rate(now: number): number | undefined {
    this.#look(now)
    const isMeasured = this.#lately.ms >= TRUSTED_AFTER_MS
    return isMeasured && this.underWay.some(isBusy) ? this.#recentRate : undefined
  }

  /** How long the batch takes from now, in milliseconds; undefined where it is not known. */
  timeLeft(now: number): number | undefined {
    const shownMs = this.#expected?.endsAt && Math.max(this.#expected.endsAt - now, 0)
    if (this.#expected !== undefined && now < this.#expected.dueAt) return shownMs
    this.#look(now)
    const ms = this.#forecast?.({ ...this.#remainder(now), bytesPerSecond: this.#recentRate })
    const leftMs = ms && followed(shownMs, ms)
    const pauseMs = Math.max(BETWEEN_FORECASTS_MS, (this.total - this.ended) * PAUSE_PER_FILE_MS)
    this.#expected =
      leftMs === undefined ? { endsAt: leftMs, dueAt: now } : { endsAt: now + leftMs, dueAt: now + pauseMs }
    return leftMs
  }

  #remainder(now: number) {
    const transfers = new Map(this.underWay.map((transfer) => [transfer.index, transfer]))
    const waiting = [...this.#sizes.entries()].flatMap(([index, bytes]) => {
      const transfer = transfers.get(index)
      if (this.#finished.has(index) || (transfer && isOnWire(transfer))) return []
      return [{ index, bytes, waitMs: transfer ? waitLeft(transfer, now) : 0 }]
    })
    const underWay = this.underWay
      .filter(isOnWire)
      .map(({ activity, size }) => (activity.type === 'moving' ? size && size - activity.bytes : 0))
    return { underWay, waiting }
  }

  get #recentRate(): number | undefined {
    const { bytes, ms } = this.#lately
    const leastMs = this.#hasProof ? 1 : TRUSTED_AFTER_MS
    return ms < leastMs || bytes < LEAST_BYTES ? undefined : (bytes / ms) * 1_000
  }

  /** Measures what was in transfer until now, before that changes; a stop tells nothing. */
  #look(now: number, moved = 0): void {
    const passedMs = Math.max(now - (this.#lookedAt ?? now), 0)
    this.#lookedAt = now
    if (!this.underWay.some(isBusy) || passedMs > LONGEST_LOOK_MS) return
    const kept = 0.5 ** (passedMs / HALF_LIFE_MS)
    const { bytes, ms } = this.#lately
    this.#lately = { bytes: bytes * kept + moved, ms: ms * kept + passedMs }
  }

  #transferOf(index: number): Transfer | undefined {
    return this.#lines.find((transfer) => transfer?.index === index)
  }
}

/** The time left to show after a forecast. @param shownMs what the time shown has come down to */
function followed(shownMs: number | undefined, expectedMs: number): number {
  const off = expectedMs - (shownMs ?? Number.NEGATIVE_INFINITY)
  if (shownMs === undefined || Math.abs(off) > Math.max(expectedMs * JUMP_SHARE, JUMP_MS)) return expectedMs
  return shownMs + off * FOLLOWED_SHARE
}

/** Whether the service is answering a request for it. */
function isOnWire(transfer: Transfer): boolean {
  return isBusy(transfer) || transfer.activity.type === 'checking'
}

function isBusy({ activity: { type } }: Transfer): boolean {
  return type === 'moving' || type === 'storing'
}

/** How long a file waits at least, as far as the client has said. */
function waitLeft({ activity }: Transfer, now: number): number {
  return activity.type === 'waiting' || activity.type === 'retrying' ? activity.until - now : 0
}

function movedBytes({ activity, size }: Transfer): number {
  if (activity.type === 'moving') return activity.bytes
  return activity.type === 'storing' || activity.type === 'checking' ? (size ?? 0) : 0
}

function sum(values: readonly (number | undefined)[]): number {
  return values.reduce<number>((total, value = 0) => total + value, 0)
}

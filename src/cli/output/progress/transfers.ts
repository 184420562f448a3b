import { type Clock, steadyMs } from '../../../clock.ts'
import type { ClientEvent } from '../../../index.ts'
import type { Wait } from '../wire-text.ts'

/** How items end, as in `3 uploaded`. */
const goodNewsFirst = [
  'uploaded',
  'downloaded',
  'deleted',
  'to delete',
  'skipped',
  'not started',
  'interrupted',
  'of unknown outcome',
  'failed',
] as const

export type OutcomeWord = (typeof goodNewsFirst)[number]

/** What a file of a batch does at the moment, in the words that are shown but for `moving`. */
type Activity = 'waiting to start' | 'moving' | 'sent, waiting for the answer' | 'checking the list of uploads' | Wait

export interface Transfer {
  readonly name: string
  /** In bytes; undefined while unknown. */
  size: number | undefined
  /** Sent in this attempt, or received. */
  bytes: number
  activity: Activity
  /** When it began, by the steady clock. */
  since: number
}

export interface Remainder {
  /** What each transfer under way has still to move, in bytes; undefined where it is not known. */
  readonly underWay: readonly (number | undefined)[]
  /** The others, in the order in which they start, by their places in the batch. */
  readonly waiting: readonly { readonly index: number; readonly bytes: number | undefined }[]
  readonly bytesPerSecond: number | undefined
}

/** How long the rest of a batch takes, in milliseconds; undefined where that is not known (yet). */
export type Forecast = (rest: Remainder) => number | undefined

/** Before, buffers that fill at once make a rate look too high. */
const TRUSTED_AFTER_MS = 2_000
/** A process looks each second at least, unless it was stopped: by Ctrl-Z, or with the whole machine. */
const LONGEST_LOOK_MS = 3_000
const BETWEEN_FORECASTS_MS = 2_000
/** A forecast of many files takes long: so much longer until the next, for each of them. */
const PAUSE_PER_FILE_MS = 1

/** The files of a batch: what has ended, what moves, and what time is left. */
export class Transfers {
  readonly #clock: Clock
  readonly outcomes = new Map<OutcomeWord, number>()
  total = 0
  /** Sizes of the files that have not been started, by their places. */
  #waiting = new Map<number, number | undefined>()
  readonly #underWay = new Map<number, Transfer>()
  /** What this run has moved, and how long something was in transfer. */
  #moved = 0
  #busyMs = 0
  #lookedAt: number | undefined
  #forecast: Forecast | undefined
  /** When the batch ends, as shown, and when to ask for that again. */
  #expected: { readonly endsAt: number; readonly dueAt: number } | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  begin(sizes: readonly (number | undefined)[]): this {
    this.total = sizes.length
    this.#waiting = new Map(sizes.entries())
    return this
  }

  start(index: number, name: string, size = this.#waiting.get(index)): void {
    this.#waiting.delete(index)
    this.#underWay.set(index, { name, size, bytes: 0, activity: 'waiting to start', since: this.now() })
  }

  move(index: number, bytes: number, size: number | undefined): void {
    const { activity: before, bytes: moved = 0 } = this.#underWay.get(index) ?? {}
    const activity = size !== undefined && bytes >= size ? 'sent, waiting for the answer' : 'moving'
    this.#change(index, { bytes, size, activity })
    // Bytes of an earlier run do not count for the rate.
    if (before === 'moving') this.#moved += Math.max(bytes - moved, 0)
  }

  event(index: number, event: ClientEvent): void {
    if (event.type === 'wait' || event.type === 'retry') this.#change(index, { bytes: 0, activity: event })
    if (event.type !== 'request') return
    // Besides the POST, an upload only requests the list.
    const isSent = event.request.method === 'POST'
    this.#change(index, isSent ? { bytes: 0, activity: 'moving' } : { activity: 'checking the list of uploads' })
  }

  finish(index: number, outcome: OutcomeWord): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1)
    this.#waiting.delete(index)
    this.#underWay.delete(index)
  }

  expect(forecast: Forecast): void {
    this.#forecast = forecast
  }

  now(): number {
    return steadyMs(this.#clock)
  }

  get ended(): number {
    return this.total - this.#waiting.size - this.#underWay.size
  }

  get underWay(): readonly Transfer[] {
    return [...this.#underWay.values()]
  }

  /** `2 uploaded, 1 failed` */
  get summary(): string {
    const counts = goodNewsFirst.map((word) => [this.outcomes.get(word), word] as const)
    return counts.flatMap(([count, word]) => (count ? `${count} ${word}` : [])).join(', ')
  }

  /** The finished share of the batch, from 0 to 1: a quota counts files, not bytes. */
  get share(): number {
    const parts = this.underWay.map(({ bytes, size }) => (size ? bytes / size : 0))
    return this.total === 0 ? 1 : parts.reduce((sum, part) => sum + part, this.ended) / this.total
  }

  /** Bytes per second of all transfers together, while something moves; undefined while it cannot be trusted. */
  get rate(): number | undefined {
    this.#look()
    return this.underWay.some(isBusy) ? this.#averageRate : undefined
  }

  /** How long the batch still takes, in milliseconds; undefined where it is not known. */
  get timeLeft(): number | undefined {
    const now = this.now()
    if (this.#expected === undefined || now >= this.#expected.dueAt) {
      this.#look()
      const leftMs = this.#forecast?.({ ...this.#remainder(), bytesPerSecond: this.#averageRate })
      const pauseMs = Math.max(BETWEEN_FORECASTS_MS, (this.total - this.ended) * PAUSE_PER_FILE_MS)
      this.#expected = leftMs === undefined ? undefined : { endsAt: now + leftMs, dueAt: now + pauseMs }
    }
    return this.#expected && Math.max(this.#expected.endsAt - now, 0)
  }

  #remainder() {
    const isOnWire = (one: Transfer) => isBusy(one) || one.activity === 'checking the list of uploads'
    const held = [...this.#underWay].flatMap(([index, one]) => (isOnWire(one) ? [] : [[index, one.size] as const]))
    const waiting = [...held, ...this.#waiting].map(([index, bytes]) => ({ index, bytes }))
    return { waiting, underWay: this.underWay.filter(isOnWire).map(({ bytes, size }) => size && size - bytes) }
  }

  #change(index: number, change: Partial<Transfer>): void {
    this.#look()
    const transfer = this.#underWay.get(index)
    if (transfer) Object.assign(transfer, { since: this.now(), ...change })
  }

  /** Since the start, of the time in which something was in transfer. */
  get #averageRate(): number | undefined {
    // A file that has arrived proves what moved, whatever buffers there are.
    const isTrusted = this.#busyMs >= TRUSTED_AFTER_MS || (this.#busyMs > 0 && this.ended > 0)
    return isTrusted && this.#moved > 0 ? (this.#moved / this.#busyMs) * 1_000 : undefined
  }

  /** Measures the time until now, before what is in transfer changes; a stop tells nothing. */
  #look(): void {
    const now = this.now()
    const passedMs = Math.max(now - (this.#lookedAt ?? now), 0)
    this.#lookedAt = now
    if (passedMs <= LONGEST_LOOK_MS && this.underWay.some(isBusy)) this.#busyMs += passedMs
  }
}

function isBusy({ activity }: Transfer): boolean {
  return activity === 'moving' || activity === 'sent, waiting for the answer'
}

import type { ClientEvent } from '../../../index.ts'
import type { Forecast, OutcomeWord, Remainder } from '../events.ts'

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
  rate: Rate
}

/** What is older weighs less, by half for each of these. */
const HALF_LIFE_MS = 5_000
/** Before, buffers that fill at once make a rate look too high. */
const TRUSTED_AFTER_MS = 2_000
/** A process looks each second at least, unless it was stopped: by Ctrl-Z, or with the whole machine. */
const LONGEST_LOOK_MS = 3_000
/** When it goes on, buffers that ran empty meanwhile fill at once. */
const REFILLED_AFTER_MS = 500

/** How fast bytes move, in the time in which something is in transfer. */
export class Rate {
  /** Both weighted. */
  #bytes = 0
  #ms = 0
  #busyMs = 0
  #at: number

  constructor(now: number) {
    this.#at = now
  }

  /** @param isBusy whether something was in transfer since the last call @returns the milliseconds since then */
  add(now: number, isBusy: boolean, bytes: number): number {
    const passedMs = Math.max(now - this.#at, 0)
    this.#at = now
    if (!isBusy) return 0
    this.#busyMs += passedMs
    if (passedMs > LONGEST_LOOK_MS) {
      this.#bytes = this.#ms = 0
      this.#busyMs = -REFILLED_AFTER_MS
    } else if (this.#busyMs >= 0) {
      const kept = 0.5 ** (passedMs / HALF_LIFE_MS)
      this.#bytes = this.#bytes * kept + bytes
      this.#ms = this.#ms * kept + passedMs
    }
    return passedMs
  }

  /** A file that has arrived proves what moved, whatever buffers there are. */
  prove(): void {
    if (this.#bytes > 0) this.#busyMs = Math.max(this.#busyMs, TRUSTED_AFTER_MS)
  }

  /** Bytes per second; undefined before it can be trusted. */
  get perSecond(): number | undefined {
    return this.#busyMs < TRUSTED_AFTER_MS || this.#bytes < 1 ? undefined : (this.#bytes / this.#ms) * 1_000
  }
}

const LEAST_PAUSE_MS = 2_000
/** Forecasts take at most 1/20 of a run's time. */
const SHARE_OF_RUN = 20

/** The files of a batch: what has ended, what moves, and what time is left. `now` is that of a steady clock. */
export class Transfers {
  readonly total: number
  /** How many files have ended so far, by how. */
  readonly outcomes = new Map<OutcomeWord, number>()
  readonly #sizes: Map<number, number | undefined>
  readonly #active = new Map<number, Transfer>()
  /** By line on the screen: a file keeps its line while others start and finish. */
  readonly #slots: (number | undefined)[] = []
  readonly #finished = new Set<number>()
  #finishedBytes = 0
  #rate: Rate | undefined
  #movedBytes = 0
  #busyMs = 0
  #forecast: Forecast | undefined
  #expected: (Countdown & { readonly pauseMs: number }) | undefined
  #shown: Countdown | undefined

  /** @param sizes in bytes, undefined where one is not known */
  constructor(total: number, sizes: readonly (number | undefined)[]) {
    this.total = total
    this.#sizes = new Map(sizes.entries())
  }

  /** @param size in bytes, if known */
  start(index: number, name: string, now: number, size?: number): void {
    if (size !== undefined) this.#sizes.set(index, size)
    this.#active.set(index, { index, name, size, activity: { type: 'preparing' }, rate: new Rate(now) })
    const free = this.#slots.indexOf(undefined)
    this.#slots[free === -1 ? this.#slots.length : free] = index
  }

  /** @param moved sent in this attempt, or received */
  move(index: number, moved: number, size: number | undefined, now: number): void {
    const transfer = this.#active.get(index)
    if (transfer === undefined) return
    const { activity } = transfer
    // Bytes of an earlier run do not count for the rate; a transfer that restarts at 0 restarts the measurement.
    const goesOn = activity.type === 'moving' && moved >= activity.bytes
    const bytes = goesOn ? moved - activity.bytes : 0
    this.#measure(now, bytes)
    if (!goesOn) transfer.rate = new Rate(now)
    transfer.rate.add(now, true, bytes)
    transfer.size = size
    transfer.activity = size !== undefined && moved >= size ? { type: 'storing' } : { type: 'moving', bytes: moved }
  }

  event(index: number, event: ClientEvent, now: number): void {
    this.#measure(now)
    const transfer = this.#active.get(index)
    if (transfer === undefined) return
    if (event.type === 'wait') {
      transfer.activity = { type: 'waiting', until: now + event.delayMs, wait: event }
    } else if (event.type === 'retry') {
      transfer.activity = { type: 'retrying', until: now + event.delayMs, reason: event.reason }
    } else if (event.type === 'request') {
      // Besides the POST, an upload only requests the list.
      const isSent = event.request.method === 'POST'
      transfer.activity = isSent ? { type: 'moving', bytes: 0 } : { type: 'checking' }
      if (isSent) transfer.rate = new Rate(now)
    }
  }

  /** @param size in bytes, also for a file that did not have to be transferred */
  finish(index: number, outcome: OutcomeWord, size = this.#active.get(index)?.size ?? 0): void {
    this.#sizes.set(index, size)
    this.#finished.add(index)
    this.#finishedBytes += size
    this.#rate?.prove()
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1)
    this.#active.delete(index)
    const slot = this.#slots.indexOf(index)
    if (slot !== -1) this.#slots[slot] = undefined
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
    return this.#slots.flatMap((index) => (index === undefined ? [] : (this.#active.get(index) ?? [])))
  }

  /** Of finished files and files in transfer; `total` is undefined while not all sizes are known. */
  get bytes(): { readonly total: number | undefined; readonly moved: number } {
    const sizes = Array.from({ length: this.total }, (_, index) => this.#sizes.get(index))
    const isKnown = sizes.every((size) => size !== undefined)
    return { total: isKnown ? sum(sizes) : undefined, moved: this.#finishedBytes + sum(this.underWay.map(movedBytes)) }
  }

  /** The finished share of the batch, from 0 to 1: a quota counts files, not bytes. */
  get share(): number {
    const parts = this.underWay.map((transfer) => (transfer.size ? movedBytes(transfer) / transfer.size : 0))
    return this.total === 0 ? 1 : (this.ended + sum(parts)) / this.total
  }

  /** Bytes per second of all transfers together, while something moves; undefined while it cannot be trusted. */
  rate(now: number): number | undefined {
    this.#measure(now)
    return this.#isBusy() ? this.#rate?.perSecond : undefined
  }

  /** Bytes per second in all the time in which something was in transfer; undefined where nothing was. */
  get meanRate(): number | undefined {
    return this.#movedBytes > 0 && this.#busyMs > 0 ? (this.#movedBytes / this.#busyMs) * 1_000 : undefined
  }

  /** How long the batch takes from now, in milliseconds; undefined where it is not known. */
  timeLeft(now: number): number | undefined {
    if (this.#expected === undefined || now - this.#expected.at >= this.#expected.pauseMs) {
      const { leftMs, tookMs = 0 } = this.#forecast?.(this.#remainder(now)) ?? {}
      const pauseMs = Math.max(LEAST_PAUSE_MS, tookMs * SHARE_OF_RUN)
      this.#expected = leftMs === undefined ? undefined : { left: leftMs, at: now, pauseMs }
    }
    this.#shown = this.#expected && countDown(this.#shown, this.#expected, now)
    return this.#shown?.left
  }

  #remainder(now: number): Remainder {
    const onWire = this.underWay.filter(isOnWire)
    const waiting = Array.from({ length: this.total }, (_, index) => index).flatMap((index) => {
      const transfer = this.#active.get(index)
      if (this.#finished.has(index) || (transfer && isOnWire(transfer))) return []
      return [{ index, bytes: this.#sizes.get(index), waitMs: transfer ? waitLeft(transfer, now) : 0 }]
    })
    const underWay = onWire.map(({ activity, size }) =>
      activity.type === 'moving' ? size && size - activity.bytes : 0,
    )
    this.#measure(now)
    return { underWay, waiting, bytesPerSecond: this.#rate?.perSecond }
  }

  /** Measures what was in transfer until now, before that changes. */
  #measure(now: number, bytes = 0): void {
    this.#rate ??= new Rate(now)
    this.#busyMs += this.#rate.add(now, this.#isBusy(), bytes)
    this.#movedBytes += bytes
  }

  #isBusy(): boolean {
    return this.underWay.some(({ activity: { type } }) => type === 'moving' || type === 'storing')
  }
}

/** A time left, and when it was so. Milliseconds. */
interface Countdown {
  readonly left: number
  readonly at: number
}

/** A smaller difference between what is shown and what is expected is left alone. */
const TOLERATED_SHARE = 0.1
const TOLERATED_MS = 2_000
/** A larger one means that something has happened, such as a refusal: what is shown jumps. */
const JUMP_SHARE = 0.5
const JUMP_MS = 3_000

/**
 * Counts down by the clock, and follows a changed expectation by standing still or going twice as fast, so that the time
 * shown does not jump to and fro with the rate of the link.
 */
function countDown(shown: Countdown | undefined, forecast: Countdown, now: number): Countdown {
  const expected = Math.max(forecast.left - (now - forecast.at), 0)
  if (shown === undefined) return { left: expected, at: now }
  const passed = Math.max(now - shown.at, 0)
  const left = Math.max(shown.left - passed, 0)
  const off = expected - left
  if (Math.abs(off) > Math.max(expected * JUMP_SHARE, JUMP_MS)) return { left: expected, at: now }
  if (Math.abs(off) <= Math.max(expected * TOLERATED_SHARE, TOLERATED_MS)) return { left, at: now }
  return { left: Math.max(left + Math.sign(off) * Math.min(Math.abs(off), passed), 0), at: now }
}

/** Whether the service is answering a request for it. */
function isOnWire({ activity: { type } }: Transfer): boolean {
  return type === 'moving' || type === 'storing' || type === 'checking'
}

/** How long a file waits at least, as far as the client has said. */
function waitLeft({ activity }: Transfer, now: number): number {
  return activity.type === 'waiting' || activity.type === 'retrying' ? activity.until - now : 0
}

function movedBytes({ activity, size }: Transfer): number {
  if (activity.type === 'moving') return activity.bytes
  return activity.type === 'storing' || activity.type === 'checking' ? (size ?? 0) : 0
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

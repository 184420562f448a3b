import { type WindowKind, type WindowName, windowKinds } from '../../../protocol/rate-limits.ts'
import { type ChargeView, COARSEST_SECOND_MS, logFitsAt, loggedUnits } from '../charges.ts'
import { type ClockOffset, DRIFT } from '../clock-offset.ts'
import {
  type Certainty,
  type EarlierUse,
  leastOverStarts,
  type MinuteUse,
  notYetBack,
  rememberedUse,
  stillUsed,
  unitsOfTheLength,
  unitsSince,
} from './minimum-usage.ts'

/** What is known of a window at one instant, its kind apart. */
export interface AssumedWindow {
  readonly name: WindowName
  readonly lengthMs: number
  readonly charges: ChargeView
  /** The same charges, as missing from a token bucket. */
  readonly missing: TokenBucketBound
  /** Undefined until an answer has a Date. */
  readonly offset: ClockOffset | undefined
}

/** What the client must know of a kind of window, to assume it and to rule it out. Times are epoch milliseconds. */
export interface KindInference {
  /** The fewest units of earlier requests that an answer must show; 0 where nothing is certain. */
  minimumUsage(use: MinuteUse, known: Certainty): number
  /** When such a window holds at most `room` units; `now` or later. */
  fitsAt(window: AssumedWindow, room: number, now: number): number
}

/** The kinds of which all units come back at one instant, which Reset names. */
export const endingAtReset: readonly WindowKind[] = ['fixed', 'aligned']
/** The kind that may hold more than a log. */
export const outlasting: WindowKind = 'sliding_counter'

/** A kind that is added here is assumed until an answer rules it out. */
export const kindInference: Readonly<Record<WindowKind, KindInference>> = {
  fixed: { minimumUsage: stillUsed, fitsAt: fitsLogAt },
  aligned: {
    minimumUsage: (use, known) => leastOverStarts(use, known, (start) => unitsSince(known.earlier, start)),
    fitsAt(window, room, now) {
      // The start of a day depends on the service's time zone.
      const offset = window.name === 'day' ? undefined : phaseOf(window)
      if (offset === undefined) return fitsLogAt(window, room, now)
      return fitsAtAll({ ...window, offset }, now, ({ present, latest }) =>
        present > room ? latest + window.lengthMs : now,
      )
    },
  },
  sliding: { minimumUsage: unitsOfTheLength, fitsAt: fitsLogAt },
  sliding_counter: {
    minimumUsage(use, known) {
      const { earlier, lengthMs } = known
      const shownIf = (start: number) => {
        const present = unitsSince(earlier, start)
        const before = unitsSince(earlier, start - lengthMs) - present
        return present + before * (1 - (use.answeredAt - start) / lengthMs)
      }
      return Math.max(leastOverStarts(use, known, shownIf), notYetBack(use, known))
    },
    fitsAt(window, room, now) {
      const offset = phaseOf(window)
      if (offset) return fitsAtAll({ ...window, offset }, now, (period) => fadedAt(period, window.lengthMs, room))
      // Without the service's clock two whole periods may count.
      return Math.max(now, logFitsAt(window.charges, 2 * window.lengthMs, room))
    },
  },
  token_bucket: {
    minimumUsage: notYetBack,
    fitsAt: ({ missing }, room, now) => Math.max(now, missing.fitsAt(room)),
  },
}

function fitsLogAt({ charges, lengthMs }: AssumedWindow, room: number, now: number): number {
  return Math.max(now, logFitsAt(charges, lengthMs, room))
}

/** The service's clock, if it is known well enough to tell one period from the next: not while the clock was set. */
function phaseOf({ offset, lengthMs }: AssumedWindow): ClockOffset | undefined {
  return offset && offset.most - offset.least < lengthMs ? offset : undefined
}

/**
 * So many answers are compared with the next ones, however close together: more than the limits of spec 8 let through in two
 * minutes. An account with higher limits has thousands: of more, those are left out that follow another one at once. What is
 * left out only makes the least use smaller.
 */
const COMPARED_ANSWERS = 128

/** Services round shares of units up or down. */
const SLACK_UNITS = 1

/**
 * Rules out the kinds of window that a service cannot keep: an answer shows less use than a window of that kind must.
 * Other users of the key can only add to the use, never reduce it.
 */
export function createKindElimination(lengthMs: number) {
  const memoryMs = 2 * lengthMs
  let compared: EarlierUse[] = []
  const possible = new Set<WindowKind>(windowKinds)

  return {
    /** Whether the service may keep windows of this kind. If answers contradict every kind, all are possible again. */
    mayBe: (kind: WindowKind) => possible.has(kind) || possible.size === 0,
    see(use: MinuteUse, offset: ClockOffset | undefined): void {
      const { sentAt, used, units } = use
      const isFresh = ({ answeredAt }: MinuteUse) => answeredAt > sentAt - memoryMs
      const isDense = compared.length >= COMPARED_ANSWERS
      if (isDense && sentAt < (compared.at(-1)?.sentAt ?? 0) + memoryMs / COMPARED_ANSWERS) return
      const earlier = compared.filter(({ answeredAt }) => answeredAt < sentAt)
      const known = { lengthMs, offset, earlier }
      for (const kind of possible) {
        const least = kindInference[kind].minimumUsage(use, known)
        if (used <= least + units - SLACK_UNITS) possible.delete(kind)
      }
      compared = [...compared.filter(isFresh), rememberedUse(use, known)]
    },
    /** A clock was set: earlier answers cannot be compared with later ones. */
    forget(): void {
      compared = []
    },
  }
}

/**
 * A window that follows the service's clock, which is known within `offset`: of all possible phases the worst is assumed.
 * A sliding counter remembers longer than its length. It counts the units of the clock's present period, and the share
 * of the previous period's units that a window ending now still overlaps.
 */
type ClockWindow = AssumedWindow & { readonly offset: ClockOffset }

/** When there is room in each period that may have begun by then. */
function fitsAtAll(window: ClockWindow, now: number, fitsAt: (period: Period) => number): number {
  let at = now
  for (let index = firstPeriod(window, now); ; index += 1) {
    const period = periodOf(window, index)
    if (period.earliest > at) return at
    at = Math.max(at, fitsAt(period))
  }
}

/** The most units that a sliding counter may have held at an instant. */
export function countedUnits({ offset, ...known }: AssumedWindow, at: number): number {
  if (offset === undefined) return loggedUnits(known.charges, 2 * known.lengthMs, at)
  const window = { ...known, offset }
  let most = 0
  for (let index = firstPeriod(window, at); ; index += 1) {
    const { earliest, latest, present, before } = periodOf(window, index)
    if (earliest > at) return Math.ceil(most)
    most = Math.max(most, present + before * Math.min((latest + window.lengthMs - at) / window.lengthMs, 1))
  }
}

/** The first period that may not have ended. */
function firstPeriod({ lengthMs, offset }: ClockWindow, now: number): number {
  return Math.floor((now + offset.least) / lengthMs)
}

/**
 * A period, which begins between two instants of this machine's clock.
 * @returns the most units charged in it, and in the one before it, too
 */
function periodOf({ charges, lengthMs, offset }: ClockWindow, index: number) {
  const earliest = index * lengthMs - offset.most
  const latest = index * lengthMs - offset.least
  const present = charges.after(earliest)
  return { earliest, latest, present, before: charges.after(earliest - lengthMs) - present }
}

type Period = ReturnType<typeof periodOf>

/** When a period's units and the share of the previous ones leave room; at the latest when the period ends. */
function fadedAt({ earliest, latest, present, before }: Period, lengthMs: number, room: number): number {
  if (present + before <= room) return earliest
  if (present > room) return latest + lengthMs
  return Math.ceil(latest + lengthMs - (lengthMs * (room - present)) / before)
}

/** @param limit the present limit, in units */
export function createTokenBucketBound(limit: () => number, lengthMs: number) {
  const unitsPerMs = () => (limit() / lengthMs) * (1 - DRIFT)
  let missing = 0
  let asOf = Number.NEGATIVE_INFINITY

  return {
    /** Charges may come in any order; one dated later is regained later. */
    charge(at: number, units: number) {
      const sinceMs = Math.max(at - asOf, 0)
      missing = Math.max(missing - sinceMs * unitsPerMs(), 0) + units
      asOf = Math.max(asOf, at)
    },
    /** When at most `room` units are missing. */
    fitsAt(room: number) {
      if (missing <= room) return Number.NEGATIVE_INFINITY
      return Math.ceil(asOf + (missing - room) / unitsPerMs() + COARSEST_SECOND_MS)
    },
    /** This machine's clock was set back. */
    clampTo(now: number) {
      asOf = Math.min(asOf, now)
    },
  }
}

/** The most units that can be missing from a token bucket, which regains its limit evenly over the window's length. */
export type TokenBucketBound = ReturnType<typeof createTokenBucketBound>

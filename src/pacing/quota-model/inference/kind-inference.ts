import type { WindowKind, WindowName } from '../../../protocol/rate-limits.ts'
import { type ChargeView, logFitsAt, loggedUnits } from '../charges.ts'
import type { ClockOffset } from '../clock-offset.ts'
import { alignedFitsAt, countedUnits, counterFitsAt } from './clock-windows.ts'
import {
  type Certainty,
  leastOverStarts,
  type MinuteUse,
  notYetBack,
  stillUsed,
  unitsOfTheLength,
  unitsSince,
} from './minimum-usage.ts'
import type { TokenBucketBound } from './token-bucket-bound.ts'

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
  /** Whether nothing better can be assumed than a log of the window's length. */
  isLog(window: AssumedWindow): boolean
  /** When such a window holds at most `room` units; `now` or later. */
  fitsAt(window: AssumedWindow, room: number, now: number): number
  /** The most units that it may hold at an instant; undefined for a kind that never holds more than a log. */
  readonly usedAtMost?: (window: AssumedWindow, at: number) => number
  /** Whether all units come back at one instant, which Reset names. */
  readonly endsAtReset: boolean
}

/** A kind that is added here is assumed until an answer rules it out. */
export const kindInference: Readonly<Record<WindowKind, KindInference>> = {
  fixed: { minimumUsage: stillUsed, isLog: () => true, fitsAt: fitsLogAt, endsAtReset: true },
  aligned: {
    minimumUsage: (use, known) => leastOverStarts(use, known, (start) => unitsSince(known.earlier, start)),
    isLog: (window) => startsWithin(window) === undefined,
    fitsAt(window, room, now) {
      const offset = startsWithin(window)
      return offset ? alignedFitsAt({ ...window, offset }, room, now) : fitsLogAt(window, room, now)
    },
    endsAtReset: true,
  },
  sliding: { minimumUsage: unitsOfTheLength, isLog: () => true, fitsAt: fitsLogAt, endsAtReset: false },
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
    isLog: (window) => startsWithin(window) === undefined,
    fitsAt(window, room, now) {
      const offset = phaseOf(window)
      if (offset) return counterFitsAt({ ...window, offset }, room, now)
      // Without the service's clock two whole periods may count.
      return Math.max(now, logFitsAt(window.charges, 2 * window.lengthMs, room))
    },
    usedAtMost({ charges, lengthMs, offset }, at) {
      return offset ? countedUnits({ charges, lengthMs, offset }, at) : loggedUnits(charges, 2 * lengthMs, at)
    },
    endsAtReset: false,
  },
  token_bucket: {
    minimumUsage: notYetBack,
    isLog: () => false,
    fitsAt: ({ missing }, room, now) => Math.max(now, missing.fitsAt(room)),
    endsAtReset: false,
  },
}

function fitsLogAt({ charges, lengthMs }: AssumedWindow, room: number, now: number): number {
  return Math.max(now, logFitsAt(charges, lengthMs, room))
}

/** The service's clock, if it is known well enough to tell one period from the next: not while the clock was set. */
function phaseOf({ offset, lengthMs }: AssumedWindow): ClockOffset | undefined {
  return offset && offset.most - offset.least < lengthMs ? offset : undefined
}

/** The same; undefined for a day, whose start depends on the service's time zone. */
function startsWithin(window: AssumedWindow): ClockOffset | undefined {
  return window.name === 'day' ? undefined : phaseOf(window)
}

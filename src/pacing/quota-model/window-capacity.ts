import { type WindowName, windowLengthMs, windowNames } from '../../protocol/rate-limits.ts'
import { type ChargeView, createCharges } from './charges.ts'
import { alignedFitsAt, counterFitsAt } from './inference/clock-windows.ts'
import { type BucketDebt, createBucketDebt } from './inference/token-bucket-bound.ts'
import type { ClockOffset } from './service-clock.ts'
import { logFitsAt } from './sliding-log.ts'
import type { WindowKind } from './window-kinds.ts'

/** What is known of a window when its room is asked for. */
export interface WindowView {
  /** Whether it may be of a kind. */
  readonly mayBe: (kind: WindowKind) => boolean
  /** Undefined where no answer has told the service's time. */
  readonly offset: ClockOffset | undefined
}

/**
 * What was charged, and when each window has come down from it, whichever of the kinds that it may be of it is.
 *
 * @param limitOf in units, as the service is taken to have it; null where nothing limits a window
 */
export function createWindowRoom(limitOf: (name: WindowName) => number | null) {
  const charges = createCharges()
  const debts = new Map<WindowName, BucketDebt>()
  for (const name of windowNames) {
    debts.set(
      name,
      createBucketDebt(() => limitOf(name) ?? 0, windowLengthMs[name]),
    )
  }

  function counterRoomAt(lengthMs: number, room: number, now: number, offset: ClockOffset | undefined): number {
    // Without the service's clock two whole periods may count.
    if (offset === undefined) return Math.max(now, logFitsAt(charges, 2 * lengthMs, room))
    return counterFitsAt({ charges, lengthMs, offset }, room, now)
  }

  return {
    charges: charges as ChargeView,
    add(at: number, units: number): void {
      charges.add(at, units)
      for (const debt of debts.values()) debt.charge(at, units)
    },
    /** When all that a window may hold of the past has come down to `room`; at `now` or later. */
    roomAt(name: WindowName, room: number, now: number, { mayBe, offset: known }: WindowView): number {
      const lengthMs = windowLengthMs[name]
      const offset = usefulOffset(known, lengthMs)
      const mayFollowClock = mayBe('aligned') || mayBe('counter')
      // A log holds whatever else but a counter may hold. When days begin, only the service's time zone could tell.
      const isLog = mayBe('log') || mayBe('fixed') || (mayFollowClock && (name === 'day' || offset === undefined))
      let at = now
      if (isLog) at = Math.max(at, logFitsAt(charges, lengthMs, room))
      else if (mayBe('bucket')) at = Math.max(at, debts.get(name)?.fitsAt(room) ?? at)
      if (mayBe('counter')) return counterRoomAt(lengthMs, room, at, offset)
      if (isLog || offset === undefined || !mayBe('aligned')) return at
      return alignedFitsAt({ charges, lengthMs, offset }, room, at)
    },
    /** Forgets what was charged up to an instant. */
    forget: charges.forget,
    clampTo(now: number): void {
      charges.clampTo(now)
      for (const debt of debts.values()) debt.clampTo(now)
    },
  }
}

/** What was told while a clock was set forward does not say where a period begins. */
function usefulOffset(offset: ClockOffset | undefined, lengthMs: number): ClockOffset | undefined {
  return offset && offset.most - offset.least < lengthMs ? offset : undefined
}

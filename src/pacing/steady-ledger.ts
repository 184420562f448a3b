import { type Clock, steadyClock } from '../clock.ts'
import type { Ledger } from './ledger.ts'
import type { Quota, QuotaWindow } from './pacer.ts'

/**
 * Runs a ledger of one process on monotonic time, so that setting the clock does not affect its counts. Times in its
 * arguments and answers are those of the clock as it is set at that moment.
 */
export function createSteadyLedger(ledger: Ledger, clock: Clock): Ledger {
  const steady = steadyClock(clock)

  return {
    ...ledger,
    async reserve(cost, now) {
      const at = steady.now()
      const reservation = await ledger.reserve(cost, at)
      if (reservation.type !== 'denied' || reservation.verdict.at === undefined) return reservation
      return { ...reservation, verdict: { ...reservation.verdict, at: reservation.verdict.at + (now - at) } }
    },
    // A charge dated late is safe; one dated by a clock that was set since is not.
    settle: (id, outcome) =>
      ledger.settle(id, outcome.type === 'not-sent' ? outcome : { ...outcome, at: steady.now() }),
    windows(now) {
      const at = steady.now()
      return moved(ledger.windows(at), now - at)
    },
  }
}

function moved(quota: Quota, ms: number): Quota {
  const movedWindow = ({ fitsAt, believed, ...rest }: QuotaWindow): QuotaWindow => ({
    ...rest,
    ...(believed && { believed: { ...believed, until: believed.until + ms } }),
    fitsAt: { upload: fitsAt.upload + ms, delete: fitsAt.delete + ms, other: fitsAt.other + ms },
  })
  return Object.fromEntries(Object.entries(quota).map(([name, window]) => [name, movedWindow(window)]))
}

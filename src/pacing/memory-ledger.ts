import { type Clock, steadyClock } from '../clock.ts'
import { orAborted } from '../system/signals.ts'
import type { Ledger, LedgerEntry } from './ledger.ts'
import type { Quota, QuotaWindow } from './pacer.ts'
import type { QuotaModel } from './quota-model/quota-model.ts'

/**
 * A ledger for this process only. It runs on the clock's monotonic time, if there is one, so that setting the clock does not
 * affect its counts. Times in arguments and answers are those of the clock as it is set at that moment.
 */
export function createMemoryLedger(model: QuotaModel, clock: Clock): Ledger {
  const steady = steadyClock(clock)
  const waiting = new Set<() => void>()
  let reservations = 0
  let hasChanged = false

  function enter(entry: LedgerEntry): void {
    model.apply(entry)
    hasChanged = true
    for (const wake of [...waiting]) wake()
  }

  return {
    async reserve(cost, now) {
      const reason = model.neverFits(cost)
      if (reason !== undefined) return { type: 'never', reason }
      const at = steady.now()
      const verdict = model.verdict(cost, at)
      if (verdict.type === 'later') {
        hasChanged = false
        const moved = (instant: number | undefined) => (instant === undefined ? undefined : instant + now - at)
        return { type: 'denied', verdict: { ...verdict, at: moved(verdict.at), easesAt: moved(verdict.easesAt) } }
      }
      reservations += 1
      const id = String(reservations)
      enter({ type: 'reserve', id, at, cost })
      return { type: 'granted', id }
    },
    async settle(id, outcome) {
      // A charge dated late is safe; one dated by a clock that was set since is not.
      enter({ type: 'settle', id, outcome: outcome.type === 'not-sent' ? outcome : { ...outcome, at: steady.now() } })
    },
    windows(now) {
      const at = steady.now()
      return movedQuota(model.windows(at), now - at)
    },
    async changed(signal) {
      signal?.throwIfAborted()
      if (hasChanged) return
      let wake = () => {}
      const change = new Promise<void>((resolve) => {
        wake = resolve
      })
      waiting.add(wake)
      await orAborted(change, signal).finally(() => waiting.delete(wake))
    },
  }
}

/** The same windows by a clock that is so many milliseconds ahead. */
export function movedQuota(quota: Quota, ms: number): Quota {
  const movedWindow = ({ fitsAt, believed, ...rest }: QuotaWindow): QuotaWindow => ({
    ...rest,
    ...(believed && { believed: { ...believed, until: believed.until + ms } }),
    fitsAt: { upload: fitsAt.upload + ms, delete: fitsAt.delete + ms, other: fitsAt.other + ms },
  })
  return Object.fromEntries(Object.entries(quota).map(([name, window]) => [name, movedWindow(window)]))
}

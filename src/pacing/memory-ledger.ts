import type { Ledger, QuotaModel } from './ledger.ts'

/** A ledger for this process only. */
export function createMemoryLedger(model: QuotaModel): Ledger {
  const waiting = new Set<() => void>()
  let reservations = 0
  let hasChanged = false

  const enter: QuotaModel['apply'] = (entry) => {
    model.apply(entry)
    hasChanged = true
    for (const wake of [...waiting]) wake()
  }

  return {
    async reserve(cost, now) {
      const reason = model.neverFits(cost)
      if (reason !== undefined) return { type: 'never', reason }
      const verdict = model.verdict(cost, now)
      if (verdict.type === 'later') {
        hasChanged = false
        return { type: 'denied', verdict }
      }
      reservations += 1
      const id = String(reservations)
      enter({ type: 'reserve', id, at: now, cost })
      return { type: 'granted', id }
    },
    async settle(id, outcome) {
      enter({ type: 'settle', id, outcome })
    },
    windows: (now) => model.windows(now),
    changed: (signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        if (hasChanged) return resolve()
        const end = () => {
          waiting.delete(wake)
          signal?.removeEventListener('abort', abort)
        }
        const wake = () => {
          end()
          resolve()
        }
        const abort = () => {
          end()
          reject(signal?.reason)
        }
        waiting.add(wake)
        signal?.addEventListener('abort', abort, { once: true })
      }),
  }
}

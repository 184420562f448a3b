import type { Ledger, LedgerEntry, QuotaModel } from '../../../src/pacing/ledger.ts'

/** The state that processes share: all ledger entries in their order. */
export interface SharedState {
  readonly entries: LedgerEntry[]
  /** Wakes the processes that wait for the next entry. */
  readonly waiting: Set<() => void>
}

export function createSharedState(): SharedState {
  return { entries: [], waiting: new Set() }
}

/**
 * A process's ledger over shared state: it folds all new entries into its own model before each decision. Decision and
 * entry happen in one instant, which is what a real file amounts to.
 */
export function openLedger({ entries, waiting }: SharedState, model: QuotaModel): Ledger {
  let read = 0
  const catchUp = () => {
    for (const entry of entries.slice(read)) model.apply(entry)
    read = entries.length
  }
  const add = (entry: LedgerEntry) => {
    entries.push(entry)
    const woken = [...waiting]
    waiting.clear()
    for (const wake of woken) wake()
  }
  let readAtDenial = 0

  return {
    async reserve(cost, now) {
      catchUp()
      const verdict = model.verdict(cost, now)
      if (verdict.type === 'later') {
        readAtDenial = entries.length
        return { type: 'denied', verdict }
      }
      const id = String(entries.length)
      add({ type: 'reserve', id, at: now, cost })
      return { type: 'granted', id }
    },
    async settle(id, outcome) {
      add({ type: 'settle', id, outcome })
    },
    windows(now) {
      catchUp()
      return model.windows(now)
    },
    changed: (signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        if (entries.length > readAtDenial) return resolve()
        const wake = () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        }
        const abort = () => {
          waiting.delete(wake)
          reject(signal?.reason)
        }
        waiting.add(wake)
        signal?.addEventListener('abort', abort, { once: true })
      }),
  }
}

import type { Ledger, LedgerBook, LedgerEntry } from '../../../src/pacing/ledger.ts'

/** A ledger's file: every entry in its order, whoever made it. */
export interface Shelf {
  readonly entries: LedgerEntry[]
  /** Those who wait for the next entry. */
  readonly waiting: Set<() => void>
}

export function createShelf(): Shelf {
  return { entries: [], waiting: new Set() }
}

/**
 * A process's ledger upon a shelf: a book of its own, folded from all that is there before each decision. Deciding and
 * writing down happen at once, as they do in the end with a real file.
 */
export function openLedger({ entries, waiting }: Shelf, book: LedgerBook): Ledger {
  let read = 0
  const catchUp = () => {
    for (const entry of entries.slice(read)) book.apply(entry)
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
      const verdict = book.verdict(cost, now)
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
      return book.windows(now)
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

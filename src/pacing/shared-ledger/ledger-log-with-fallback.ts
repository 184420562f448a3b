import type { LedgerFold } from './ledger-fold.ts'
import { createMemoryJournal, type LedgerJournal, type LedgerReader } from './ledger-log.ts'

export interface JournalAccessOptions {
  readonly openJournal: (reader: LedgerReader) => LedgerJournal
  /** Told once why the journal cannot be used any more; a private one takes its place. */
  readonly onProblem: (reason: string) => void
}

/** A journal that is opened with its first use. */
export interface JournalAccess {
  /** Works on the journal; where that cannot be used, again on a private one, which can. */
  use<T>(work: (journal: LedgerJournal) => T): T
  /** Keeps it open from here on only while something is under way. */
  close(): void
}

/** @param isIdle whether nothing of this process is under way */
export function createJournalAccess(
  { openJournal, onProblem }: JournalAccessOptions,
  fold: LedgerFold,
  isIdle: () => boolean,
): JournalAccess {
  let journal: LedgerJournal | undefined
  let isClosing = false

  /** Opened again it is read from its beginning. */
  function letGo(): void {
    if (!isClosing || !isIdle() || journal?.close === undefined) return
    journal.close()
    journal = undefined
    fold.restart()
  }

  return {
    use(work) {
      try {
        journal ??= openJournal(fold)
        return work(journal)
      } catch (error) {
        onProblem(error instanceof Error ? error.message : String(error))
        journal = createMemoryJournal(fold)
        return work(journal)
      } finally {
        letGo()
      }
    },
    close() {
      isClosing = true
      letGo()
    },
  }
}

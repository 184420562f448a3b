import { type JournalFact, parseLines, toLine } from './journal-facts.ts'
import type { JournalFile } from './journal-file.ts'
import { createJournalBook, type JournalBook } from './journal-fold.ts'

/** A journal smaller than this is not worth rewriting. */
const SHORTENED_FROM_BYTES = 65_536

/** Rewrites a long journal without what matters no more, where that makes it half as long at least. */
export function shortenJournal(
  file: JournalFile,
  text: string,
  retained: (book: JournalBook) => readonly JournalFact[],
): void {
  if (text.length < SHORTENED_FROM_BYTES) return
  const remaining = (before: string): string => {
    const book = createJournalBook()
    parseLines(before).forEach(book.apply)
    return retained(book).map(toLine).join('')
  }
  if (remaining(text).length > text.length / 2) return
  try {
    file.rewrite(remaining)
  } catch {
    // A journal that stays long serves as well as one that was made short.
  }
}

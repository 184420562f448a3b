import type { LedgerBook } from '../ledger.ts'
import type { LedgerReader } from './ledger-journal.ts'
import type { LedgerLine } from './ledger-line.ts'

export type ReserveLine = Extract<LedgerLine, { type: 'reserve' }>

/** What a journal's lines amount to. */
export interface LedgerFold extends LedgerReader {
  book(): LedgerBook
  /** Reservations without an ending, by their ids. */
  readonly inFlight: ReadonlyMap<string, ReserveLine>
}

/** @param onRoom told once the book knows of what may have made room: an ending that counts, or that all was forgotten */
export function createLedgerFold(
  createBook: () => LedgerBook,
  onRoom: (endedId?: string) => void = () => {},
): LedgerFold {
  const inFlight = new Map<string, ReserveLine>()
  let book = createBook()
  return {
    inFlight,
    book: () => book,
    deliver(line) {
      if (line.type === 'reserve') {
        inFlight.set(line.id, line)
        book.apply({ type: 'reserve', id: line.id, at: line.at, cost: line.cost })
      } else if (line.type === 'settle' || line.type === 'cancel') {
        // Of several, as by its owner and by one who took that for gone, the first counts.
        if (!inFlight.delete(line.id)) return
        book.apply(line)
        onRoom(line.id)
      } else if (line.type === 'forget') {
        book = createBook()
        for (const { id, at, cost } of inFlight.values()) book.apply({ type: 'reserve', id, at, cost })
        onRoom()
      }
    },
    restart() {
      book = createBook()
      inFlight.clear()
    },
  }
}

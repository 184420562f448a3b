import type { LedgerBook } from '../ledger.ts'
import type { LedgerLine } from './ledger-line.ts'
import type { LedgerReader } from './ledger-log.ts'

export type ReserveLine = Extract<LedgerLine, { type: 'reserve' }>

/** What a journal's lines amount to. */
export interface LedgerFold extends LedgerReader {
  book(): LedgerBook
  /** Reservations without an ending, by their ids. */
  readonly inFlight: ReadonlyMap<string, ReserveLine>
}

/** Some systems tell the time since their start in whole seconds, so that it differs between processes. */
const SET_MS = 1_500

/** @param onRoom told once the book knows of what may have made room: an ending that counts, or that all was forgotten */
export function createLedgerFold(
  createBook: () => LedgerBook,
  onRoom: (endedId?: string) => void = () => {},
): LedgerFold {
  const inFlight = new Map<string, ReserveLine>()
  let book = createBook()
  /** By how much the clock is ahead of the time since each start of a machine. */
  const aheadMs = new Map<string, number>()

  /** Whether the clock was set since the line before of the same machine. */
  function isAfterSetting({ at, monotonic, owner }: ReserveLine): boolean {
    if (monotonic === undefined) return false
    const machine = `${owner.host} ${owner.boot}`
    const before = aheadMs.get(machine)
    aheadMs.set(machine, at - monotonic)
    return before !== undefined && Math.abs(at - monotonic - before) > SET_MS
  }

  return {
    inFlight,
    book: () => book,
    deliver(line) {
      if (line.type === 'reserve') {
        inFlight.set(line.id, line)
        const { id, at, cost } = line
        book.apply({ type: 'reserve', id, at, cost, afterSetting: isAfterSetting(line) })
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
      aheadMs.clear()
    },
  }
}

import type { QuotaModel } from '../ledger.ts'
import type { ReserveLine } from './ledger-line.ts'
import type { LedgerReader } from './ledger-log.ts'

/** The state that a log's lines add up to. */
export interface LedgerFold extends LedgerReader {
  model(): QuotaModel
  /** Reservations that have not ended, by their ids. */
  readonly inFlight: ReadonlyMap<string, ReserveLine>
}

/** Tolerates systems that report the time since their start in whole seconds. */
const SET_MS = 1_500

/** @param onRoom called after a line that may have made room: an ending, or a `forget` */
export function createLedgerFold(
  createModel: () => QuotaModel,
  onRoom: (endedId?: string) => void = () => {},
): LedgerFold {
  const inFlight = new Map<string, ReserveLine>()
  let model = createModel()
  /** How far the clock is ahead of the machine's monotonic time, by host and boot. */
  const aheadMs = new Map<string, number>()

  /** Whether the clock was set since the same machine's previous reservation. */
  function isAfterSetting({ at, monotonic, owner }: ReserveLine): boolean {
    if (monotonic === undefined) return false
    const machine = `${owner.host} ${owner.boot}`
    const before = aheadMs.get(machine)
    aheadMs.set(machine, at - monotonic)
    return before !== undefined && Math.abs(at - monotonic - before) > SET_MS
  }

  return {
    inFlight,
    model: () => model,
    deliver(line) {
      if (line.type === 'reserve') {
        inFlight.set(line.id, line)
        const { id, at, cost } = line
        model.apply({ type: 'reserve', id, at, cost, afterSetting: isAfterSetting(line) })
      } else if (line.type === 'settle' || line.type === 'cancel') {
        // Only the first ending counts: the owner and a process that believed it gone may both write one.
        if (!inFlight.delete(line.id)) return
        model.apply(line)
        onRoom(line.id)
      } else if (line.type === 'forget') {
        model = createModel()
        for (const { id, at, cost } of inFlight.values()) model.apply({ type: 'reserve', id, at, cost })
        onRoom()
      }
    },
    restart() {
      model = createModel()
      inFlight.clear()
      aheadMs.clear()
    },
  }
}

import type { QuotaModel, Verdict } from '../ledger.ts'
import type { LedgerLine, ReserveLine } from './ledger-line.ts'
import { createPlaces } from './places.ts'

/** Tolerates systems that report the time since their start in whole seconds. */
const SET_MS = 1_500

interface LedgerFoldEvents {
  /** Called after a line that may have made room: an ending, a place that was left, or a `forget`. */
  onRoom?(endedId?: string): void
  /** Called with each reservation before it counts, and what the lines before it say. */
  beforeReserve?(line: ReserveLine, verdict: () => Verdict): void
}

/** The state that a log's lines add up to. */
export function createLedgerFold(
  createModel: () => QuotaModel,
  { onRoom = () => {}, beforeReserve = () => {} }: LedgerFoldEvents = {},
) {
  const inFlight = new Map<string, ReserveLine>()
  const places = createPlaces()
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

  /** Only the first ending counts: the owner and a process that believed it gone may both write one. */
  function end(line: Extract<LedgerLine, { type: 'settle' | 'cancel' }>): void {
    if (inFlight.delete(line.id)) {
      model.apply(line)
      onRoom(line.id)
    } else if (line.type === 'cancel') onRoom()
  }

  return {
    /** Reservations that have not ended, by their ids. */
    inFlight: inFlight as ReadonlyMap<string, ReserveLine>,
    model: () => model,
    /** Requests that wait for room, in their order. */
    waiting: places.all,
    isWaiting: places.has,
    isOvertaken: places.isOvertaken,
    /** How many of them are before a place. */
    ahead: places.ahead,
    /**
     * Whether a request may be tried now, behind all that wait before it.
     * @param place its own; undefined for the end of the queue
     */
    verdict: (cost: number, now: number, place: string | undefined) => places.verdict(cost, model, now, place),
    deliver(line: LedgerLine): void {
      places.deliver(line)
      if (line.type === 'reserve') {
        beforeReserve(line, () => places.verdict(line.cost, model, line.at, line.place))
        inFlight.set(line.id, line)
        const { id, at, cost } = line
        model.apply({ type: 'reserve', id, at, cost, afterSetting: isAfterSetting(line) })
      } else if (line.type === 'settle' || line.type === 'cancel') {
        end(line)
      } else if (line.type === 'forget') {
        model = createModel()
        for (const { id, at, cost } of inFlight.values()) model.apply({ type: 'reserve', id, at, cost })
        onRoom()
      }
    },
    restart(): void {
      model = createModel()
      inFlight.clear()
      places.clear()
      aheadMs.clear()
      onRoom()
    },
  }
}

export type LedgerFold = ReturnType<typeof createLedgerFold>

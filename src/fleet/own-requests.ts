import { type Clock, steadyMs } from '../clock.ts'
import type { PacingOutcome } from '../pacing/pacer.ts'
import type { LedgerLine, ReserveLine } from '../pacing/shared-ledger/ledger-line.ts'
import type { LogLedger } from '../pacing/shared-ledger/log-ledger.ts'
import { type ProcessOwner, thisProcess } from '../system/process-identity.ts'
import { withoutRoom } from './stretched-model.ts'

/** A request of this process whose ending the fleet does not have yet. */
export interface OwnRequest {
  readonly id: string
  readonly cost: number
  /** By the clock's monotonic time, as for its ending: the clock may be set before the fleet learns of the request. */
  readonly since: number
  ending?: { readonly outcome: PacingOutcome; readonly since: number }
  /** Whether the fleet has its reservation. */
  isInFleet: boolean
  /** Ledgers of outages that count it, too. */
  readonly alone: LogLedger[]
}

/** The requests of this process that the fleet has yet to hear of, or to see ended. */
export function createOwnRequests(clock: Clock, owner: ProcessOwner = thisProcess()) {
  const requests = new Map<string, OwnRequest>()
  const all = () => [...requests.values()]
  /** What the clock shows now for an instant of its monotonic time. */
  const dateOf = (since: number) => clock.now() - (steadyMs(clock) - since)

  function reserveLine({ id, cost, since }: OwnRequest): ReserveLine {
    return { type: 'reserve', id, at: dateOf(since), cost, owner }
  }

  /** How it ended. Others' charges show in the room that an answer tells, and the fleet learns of them from the others. */
  function outcomeOf({ ending, since }: OwnRequest, reservedAt = dateOf(since)): PacingOutcome | undefined {
    if (ending === undefined) return undefined
    const outcome = withoutRoom(ending.outcome)
    return outcome.type === 'not-sent' ? outcome : { ...outcome, at: reservedAt + ending.since - since }
  }

  return {
    all,
    find: (id: string) => requests.get(id),
    add(id: string, cost: number, alone?: LogLedger): OwnRequest {
      const request = { id, cost, since: steadyMs(clock), isInFleet: alone === undefined, alone: alone ? [alone] : [] }
      requests.set(id, request)
      return request
    },
    end(request: OwnRequest, outcome: PacingOutcome): void {
      request.ending = { outcome, since: steadyMs(clock) }
    },
    remove: ({ id }: OwnRequest) => requests.delete(id),
    /** Its reservation as of now: dated earlier, it would look like a clock that was set back. */
    adoptable: (request: OwnRequest): ReserveLine => ({ ...reserveLine(request), at: clock.now() }),
    /** The lines of a request that was sent. */
    linesOf(request: OwnRequest): readonly LedgerLine[] {
      const reserve = reserveLine(request)
      // Dated apart, a short request could seem to end before it began: the clock has whole milliseconds.
      const outcome = outcomeOf(request, reserve.at)
      return outcome ? [reserve, { type: 'settle', id: request.id, outcome }] : [reserve]
    },
    outcomeOf: (request: OwnRequest) => outcomeOf(request),
  }
}

import { pathTest } from '../service/request-filter.ts'
import { type Fault, type FaultAction, faultTypes } from './fault.ts'

/** A fault with its counters. */
export interface ArmedFault extends Fault {
  /** How many requests matched. */
  readonly seen: number
  /** How many of them the fault hit. */
  readonly struck: number
}

/** What faults match a request by. */
export interface FaultSubject {
  readonly method: string
  /** The path without its query. */
  readonly endpoint: string
  /** Null if the request has no known account. */
  readonly accountId: number | null
}

/** When a fault acts: as the request arrives, or right before the quota check. */
export type FaultPoint = 'arrival' | 'gate'

/** The faults that are set, in order. */
export interface FaultBook {
  /** Whether any fault can still act at this point; cheap, since every request asks. */
  isArmed(point: FaultPoint): boolean
  /**
   * Counts the request for every fault that matches it and returns the action of the first that acts. The others wait
   * for their next request.
   */
  trigger(point: FaultPoint, subject: FaultSubject): FaultAction | undefined
  list(): readonly ArmedFault[]
  /** Replaces all faults. */
  load(faults: readonly ArmedFault[]): void
}

export function newlyArmed(fault: Fault): ArmedFault {
  return { ...fault, seen: 0, struck: 0 }
}

export function createFaultBook(): FaultBook {
  let active: readonly ActiveFault[] = []
  const armed = { arrival: false, gate: false }

  const update = () => {
    armed.arrival = active.some((entry) => entry.point === 'arrival' && canTrigger(entry))
    armed.gate = active.some((entry) => entry.point === 'gate' && canTrigger(entry))
  }

  return {
    isArmed: (point) => armed[point],
    trigger(point, subject) {
      let action: FaultAction | undefined
      for (const entry of active) {
        if (entry.point !== point || !entry.matches(subject)) continue
        entry.seen += 1
        if (action !== undefined || !canTrigger(entry) || entry.seen < (entry.fault.match.nth ?? 1)) continue
        entry.struck += 1
        action = entry.fault.action
      }
      if (action !== undefined) update()
      return action
    },
    list: () => active.map(({ fault, seen, struck }) => ({ ...fault, seen, struck })),
    load(faults) {
      active = faults.map(activate)
      update()
    },
  }
}

interface ActiveFault {
  readonly fault: Fault
  readonly point: FaultPoint
  readonly matches: (subject: FaultSubject) => boolean
  seen: number
  struck: number
}

function activate({ seen, struck, ...fault }: ArmedFault): ActiveFault {
  const { match, action } = fault
  const method = match.method?.toUpperCase()
  const path = match.path === undefined ? undefined : pathTest(match.path)
  return {
    fault,
    point: faultTypes[action.type].stage === 'arrival' ? 'arrival' : 'gate',
    matches: (subject) =>
      (match.account_id === undefined || subject.accountId === match.account_id) &&
      (method === undefined || subject.method === method) &&
      (path === undefined || path(subject.endpoint)),
    seen,
    struck,
  }
}

function canTrigger({ fault: { times }, struck }: ActiveFault): boolean {
  return times === null || struck < times
}

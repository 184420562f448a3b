import { type RequestSubject, subjectTest } from '../service/request-filter.ts'
import { type Fault, type FaultAction, faultTypes, namesSite, resetsUnanswered } from './fault.ts'

/** A fault with its id and its counters. */
export interface ArmedFault extends Fault {
  /** Counts up from 1; an emulator gives it to no other fault, not after a reset either. */
  readonly id: number
  /** How many requests matched. */
  readonly seen: number
  /** How many of them the fault hit. */
  readonly struck: number
}

/** When a fault acts on an API request: as it arrives, or right before the quota check. On the website: at once. */
export type FaultPoint = 'arrival' | 'gate' | 'site'

/** A fault that may have an id from a snapshot; without one it gets the next. */
export type LoadedFault = Omit<ArmedFault, 'id'> & { readonly id?: number | undefined }

/** The fault that acts on a request. */
export interface StruckBy {
  readonly id: number
  readonly action: FaultAction
}

export function newlyArmed(fault: Fault): LoadedFault {
  return { ...fault, seen: 0, struck: 0 }
}

/** @param onReset called when a fault is added that resets connections */
export function createFaultBook(onReset: () => void = () => {}) {
  /** By id, in the order in which they act. */
  const active = new Map<number, ActiveFault>()
  let lastId = 0

  const put = ({ id = lastId + 1, ...fault }: LoadedFault): ArmedFault => {
    lastId = Math.max(lastId, id)
    const entry = activate({ ...fault, id })
    active.set(id, entry)
    if (mayReset(entry)) onReset()
    return armedFault(entry)
  }

  return {
    /** Whether any fault acts at this point, or counts the requests that it matches; cheap, since every request asks. */
    isArmed: (point: FaultPoint) => active.size > 0 && [...active.values()].some((entry) => entry.point === point),
    /**
     * Counts the request for every fault that matches it and returns the first that acts. The others wait
     * for their next request.
     * @param subject on the website its account is the owner's
     */
    trigger(point: FaultPoint, subject: RequestSubject): StruckBy | undefined {
      let first: ActiveFault | undefined
      for (const entry of active.values()) {
        if (entry.point !== point || !entry.matches(subject)) continue
        entry.seen += 1
        if (first !== undefined || !canTrigger(entry) || entry.seen < (entry.fault.match.nth ?? 1)) continue
        entry.struck += 1
        first = entry
      }
      return first && { id: first.id, action: first.fault.action }
    },
    /** Whether a fault may reset a connection. */
    mayReset: () => active.size > 0 && [...active.values()].some(mayReset),
    list: (): readonly ArmedFault[] => [...active.values()].map(armedFault),
    /** Adds a fault behind the others. */
    add: put,
    /** @returns whether there was a fault with this id */
    remove: (id: number) => active.delete(id),
    /** Replaces all faults. */
    load(faults: readonly LoadedFault[]) {
      active.clear()
      // Ids from a snapshot first, so that no new id equals one of them.
      lastId = faults.reduce((last, { id = 0 }) => Math.max(last, id), lastId)
      for (const fault of faults) put(fault)
    },
  }
}

/** The faults that are set, in order. */
export type FaultBook = ReturnType<typeof createFaultBook>

interface ActiveFault {
  readonly id: number
  readonly fault: Fault
  readonly point: FaultPoint
  readonly matches: (subject: RequestSubject) => boolean
  seen: number
  struck: number
}

function armedFault({ id, fault, seen, struck }: ActiveFault): ArmedFault {
  return { id, ...fault, seen, struck }
}

function activate({ id, seen, struck, ...fault }: ArmedFault): ActiveFault {
  return { id, fault, point: pointOf(fault), matches: subjectTest(fault.match), seen, struck }
}

function pointOf({ match, action }: Fault): FaultPoint {
  if (namesSite(match.path)) return 'site'
  return faultTypes[action.type].stage === 'arrival' ? 'arrival' : 'gate'
}

function mayReset(entry: ActiveFault): boolean {
  return canTrigger(entry) && resetsUnanswered(entry.fault.action.type)
}

function canTrigger({ fault: { times }, struck }: ActiveFault): boolean {
  return times === null || struck < times
}

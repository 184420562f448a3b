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

export function newlyArmed(fault: Fault): LoadedFault {
  return { ...fault, seen: 0, struck: 0 }
}

interface ActiveFault {
  readonly id: number
  readonly fault: Fault
  readonly point: FaultPoint
  readonly matches: (subject: RequestSubject) => boolean
  seen: number
  struck: number
}

/** The faults that are set, in the order in which they act. */
export class FaultBook {
  readonly #active = new Map<number, ActiveFault>()
  #lastId = 0
  /** Whether any fault acts at a point, or counts the requests that it matches. A field, since every request asks. */
  armed: Readonly<Record<FaultPoint, boolean>> = { arrival: false, gate: false, site: false }
  /** Whether a fault may reset a connection. */
  mayReset = false

  #summarize(): void {
    const active = [...this.#active.values()]
    const isArmed = (point: FaultPoint) => active.some((entry) => entry.point === point)
    this.armed = { arrival: isArmed('arrival'), gate: isArmed('gate'), site: isArmed('site') }
    this.mayReset = active.some(canReset)
  }

  /**
   * Counts the request for every fault that matches it and returns the first that acts. The others wait for their next
   * request.
   * @param subject on the website its account is the owner's
   */
  trigger(
    point: FaultPoint,
    subject: RequestSubject,
  ): { readonly id: number; readonly action: FaultAction } | undefined {
    let first: ActiveFault | undefined
    for (const entry of this.#active.values()) {
      if (entry.point !== point || !entry.matches(subject)) continue
      entry.seen += 1
      if (first !== undefined || !canTrigger(entry) || entry.seen < (entry.fault.match.nth ?? 1)) continue
      entry.struck += 1
      first = entry
    }
    this.#summarize()
    return first && { id: first.id, action: first.fault.action }
  }

  list(): readonly ArmedFault[] {
    return [...this.#active.values()].map(armedFault)
  }

  /** Adds a fault behind the others. */
  add({ id = this.#lastId + 1, seen, struck, ...fault }: LoadedFault): ArmedFault {
    this.#lastId = Math.max(this.#lastId, id)
    const entry = { id, fault, point: pointOf(fault), matches: subjectTest(fault.match), seen, struck }
    this.#active.set(id, entry)
    this.#summarize()
    return armedFault(entry)
  }

  /** @returns whether there was a fault with this id */
  remove(id: number): boolean {
    const wasThere = this.#active.delete(id)
    this.#summarize()
    return wasThere
  }

  /** Replaces all faults. */
  load(faults: readonly LoadedFault[]): void {
    this.#active.clear()
    this.#summarize()
    // Ids from a snapshot first, so that no new id equals one of them.
    this.#lastId = faults.reduce((last, { id = 0 }) => Math.max(last, id), this.#lastId)
    for (const fault of faults) this.add(fault)
  }
}

function armedFault({ id, fault, seen, struck }: ActiveFault): ArmedFault {
  return { id, ...fault, seen, struck }
}

function pointOf({ match, action }: Fault): FaultPoint {
  if (namesSite(match.path)) return 'site'
  return faultTypes[action.type].stage === 'arrival' ? 'arrival' : 'gate'
}

function canReset(entry: ActiveFault): boolean {
  return canTrigger(entry) && resetsUnanswered(entry.fault.action.type)
}

function canTrigger({ fault: { times }, struck }: ActiveFault): boolean {
  return times === null || struck < times
}

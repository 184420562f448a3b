import { pathTest } from '../service/request-filter.ts'
import type { Fault, FaultAction } from './fault.ts'
import { faultTypes } from './fault-types.ts'

/** A fault with what it has seen so far. */
export interface ArmedFault extends Fault {
  /** Matching requests so far. */
  readonly seen: number
  /** How many of them it struck. */
  readonly struck: number
}

/** A request as far as faults look at it. */
export interface FaultSubject {
  readonly method: string
  /** The path without its query. */
  readonly endpoint: string
  /** Null where no account is known. */
  readonly accountId: number | null
}

/** Where a request can be struck: as it arrives, or as it comes to the quota. */
export type FaultPost = 'arrival' | 'gate'

/** The faults that are set. */
export interface FaultBook {
  /** Whether any fault can still strike there; asked for every request, so that no fault costs next to nothing. */
  isArmed(post: FaultPost): boolean
  /**
   * Counts a request with every fault it matches, and tells what happens to it: of several faults the first one
   * strikes, and the others wait for their next request.
   */
  strike(post: FaultPost, subject: FaultSubject): FaultAction | undefined
  list(): readonly ArmedFault[]
  /** Puts these in the place of all faults. */
  load(faults: readonly ArmedFault[]): void
}

/** A fault that has seen nothing yet. */
export function armed(fault: Fault): ArmedFault {
  return { ...fault, seen: 0, struck: 0 }
}

/** Of so many different requests the faults they match are known at a time. */
const mostRemembered = 100

export function createFaultBook(): FaultBook {
  let traps: readonly Trap[] = []
  const posts = { arrival: false, gate: false }
  const remembered = new Map<string, readonly Trap[]>()

  /** Clients ask for the same again and again, and faults may be many. */
  const matching = (post: FaultPost, subject: FaultSubject): readonly Trap[] => {
    const request = `${post} ${subject.accountId} ${subject.method} ${subject.endpoint}`
    const known = remembered.get(request)
    if (known !== undefined) return known
    const found = traps.filter((trap) => trap.post === post && trap.matches(subject))
    if (remembered.size >= mostRemembered) remembered.clear()
    remembered.set(request, found)
    return found
  }

  const update = () => {
    posts.arrival = traps.some((trap) => trap.post === 'arrival' && isLoaded(trap))
    posts.gate = traps.some((trap) => trap.post === 'gate' && isLoaded(trap))
  }

  return {
    isArmed: (post) => posts[post],
    strike(post, subject) {
      let action: FaultAction | undefined
      for (const trap of matching(post, subject)) {
        trap.seen += 1
        if (action !== undefined || !isLoaded(trap) || trap.seen < (trap.fault.match.nth ?? 1)) continue
        trap.struck += 1
        action = trap.fault.action
      }
      if (action !== undefined) update()
      return action
    },
    list: () => traps.map(({ fault, seen, struck }) => ({ ...fault, seen, struck })),
    load(faults) {
      traps = faults.map(toTrap)
      remembered.clear()
      update()
    },
  }
}

interface Trap {
  readonly fault: Fault
  readonly post: FaultPost
  readonly matches: (subject: FaultSubject) => boolean
  seen: number
  struck: number
}

function toTrap({ seen, struck, ...fault }: ArmedFault): Trap {
  const { match, action } = fault
  const method = match.method?.toUpperCase()
  const path = match.path === undefined ? undefined : pathTest(match.path)
  return {
    fault,
    post: faultTypes[action.type].stage === 'arrival' ? 'arrival' : 'gate',
    matches: (subject) =>
      (match.account_id === undefined || subject.accountId === match.account_id) &&
      (method === undefined || subject.method === method) &&
      (path === undefined || path(subject.endpoint)),
    seen,
    struck,
  }
}

function isLoaded({ fault: { times }, struck }: Trap): boolean {
  return times === null || struck < times
}

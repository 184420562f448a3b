import { type Clock, startIdleTimer, steadyMs } from '../clock.ts'
import type { Ledger, Reservation } from '../pacing/ledger.ts'
import type { PacingOutcome } from '../pacing/pacer.ts'
import type { LogLedger } from '../pacing/shared-ledger/log-ledger.ts'
import { anySignal, over } from '../system/signals.ts'
import type { CutOffLedgers } from './cut-off-ledgers.ts'
import type { FleetLedger } from './fleet-ledger-port.ts'
import { createOwnRequests, type OwnRequest } from './own-requests.ts'
import { FleetProblem } from './redis-link.ts'

export interface OutageLedgerOptions {
  readonly fleet: FleetLedger
  readonly cutOff: CutOffLedgers
  readonly clock: Clock
  /** Called once per outage: until the return this process counts for itself. */
  readonly onProblem: (problem: FleetProblem) => void
  /** Called once per outage: Redis answers again, and has what was used meanwhile. */
  readonly onReturn: () => void
  /** From 0 to below 1. */
  readonly random?: () => number
}

/** Redis is gone: a ledger of this process, or of this machine, counts meanwhile. */
interface Outage {
  readonly alone: LogLedger
  /** When Redis is tried again, by the clock's monotonic time. */
  nextTryAt: number
  pauseMs: number
  /** The try that is under way. */
  attempt: Promise<void> | undefined
  /** Until the return, once something is to be told. */
  watch: Promise<void> | undefined
}

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
/** A reservation waits no longer for Redis to come back. */
const LONGEST_TRY_MS = 1_000

/**
 * The ledger of a fleet that continues when Redis does not answer: alone, with this runner's share, and with the fleet again
 * as soon as Redis is back. No request is sent uncounted, and what was counted alone is added to the fleet's log.
 */
export function createOutageLedger(options: OutageLedgerOptions): Ledger {
  const { fleet, cutOff, clock, random = Math.random } = options
  const requests = createOwnRequests(clock)
  let outage: Outage | undefined
  let hasLeftovers = true
  let stopWatch = () => {}

  /** @throws the error, if it is another one than Redis' */
  function begin(error: unknown): Outage {
    if (!(error instanceof FleetProblem)) throw error
    if (outage !== undefined) return outage
    const own = requests.all()
    const alone = cutOff.open(fleet.known(), new Set(own.map(({ id }) => id)))
    outage = { alone, pauseMs: FIRST_PAUSE_MS, nextTryAt: 0, attempt: undefined, watch: undefined }
    postpone(outage)
    for (const request of own) countAlone(request, alone)
    options.onProblem(error)
    return outage
  }

  /** Spreads the tries of runners that were cut off together. */
  function postpone(current: Outage): void {
    current.nextTryAt = steadyMs(clock) + current.pauseMs * (0.75 + random() / 2)
    current.pauseMs = Math.min(current.pauseMs * 2, LONGEST_PAUSE_MS)
  }

  function countAlone(request: OwnRequest, alone: LogLedger): void {
    alone.adopt(requests.adoptable(request))
    request.alone.push(alone)
    if (request.ending) void alone.settle(request.id, undated(request.ending.outcome))
  }

  /** Tries once to return, if it is time and no other call is trying. */
  async function tryReturn(current: Outage): Promise<void> {
    const isDue = outage === current && steadyMs(clock) >= current.nextTryAt
    if (current.attempt === undefined && !isDue) return
    current.attempt ??= goBack(current).finally(() => {
      current.attempt = undefined
    })
    await current.attempt
  }

  async function goBack(current: Outage): Promise<void> {
    try {
      await fleet.rejoin(cutOff.leftovers())
      // Requests begin and end while this runner tells Redis, so it tells until nothing is left.
      for (let left = untold(); left.length > 0; left = untold()) await tell(left)
    } catch (error) {
      if (!(error instanceof FleetProblem)) throw error
      return postpone(current)
    }
    outage = undefined
    await current.alone.withdraw?.()
    current.alone.close?.()
    cutOff.forget()
    options.onReturn()
  }

  /** Requests of which the fleet does not know that they began or that they ended. */
  function untold(): readonly OwnRequest[] {
    return requests.all().filter(({ isInFleet, ending }) => !isInFleet || ending !== undefined)
  }

  async function tell(untoldOnes: readonly OwnRequest[]): Promise<void> {
    const unheard = untoldOnes.filter(({ isInFleet, ending }) => !isInFleet && ending?.outcome.type !== 'not-sent')
    const ended = untoldOnes.filter(({ ending }) => ending !== undefined)
    if (unheard.length > 0) await fleet.rejoin(unheard.flatMap(requests.linesOf))
    for (const request of unheard) request.isInFleet = true
    for (const request of ended) {
      const outcome = unheard.includes(request) ? undefined : requests.outcomeOf(request)
      if (outcome) await fleet.settle(request.id, outcome)
      requests.remove(request)
    }
  }

  /** Waits for the attempt, but not for long. */
  async function tryReturnSoon(current: Outage): Promise<void> {
    const end = new AbortController()
    try {
      await Promise.race([tryReturn(current), clock.sleep(LONGEST_TRY_MS, end.signal)])
    } finally {
      end.abort(over)
    }
  }

  async function reserveInFleet(cost: number, now: number): Promise<Reservation> {
    const reservation = await fleet.reserve(cost, now)
    if (reservation.type === 'granted') {
      const request = requests.add(reservation.id, cost)
      // Another call may have met the outage meanwhile.
      if (outage) countAlone(request, outage.alone)
    }
    await addLeftovers().catch(begin)
    return reservation
  }

  /** Processes of this machine may have ended before Redis was back. */
  async function addLeftovers(): Promise<void> {
    if (!hasLeftovers) return
    hasLeftovers = false
    const leftovers = cutOff.leftovers()
    if (leftovers.length === 0) return
    await fleet.rejoin(leftovers)
    cutOff.forget()
  }

  async function reserveAlone({ alone }: Outage, cost: number, now: number): Promise<Reservation> {
    const reservation = await alone.reserve(cost, now)
    if (reservation.type === 'granted') requests.add(reservation.id, cost, alone)
    return reservation
  }

  async function settle(request: OwnRequest, outcome: PacingOutcome): Promise<void> {
    requests.end(request, outcome)
    for (const alone of request.alone) await alone.settle(request.id, request.isInFleet ? undated(outcome) : outcome)
    if (outage) {
      await tryReturnSoon(outage)
      return outage && tellLater(outage)
    }
    try {
      if (request.isInFleet) await fleet.settle(request.id, outcome)
      else await tell([request])
      requests.remove(request)
    } catch (error) {
      tellLater(begin(error))
    }
  }

  /** No call may follow, and the others wait for the end of a request as long as they hear of this runner. */
  function tellLater(current: Outage): void {
    const pause = (ms: number) =>
      new Promise<void>((resolve) => {
        stopWatch = startIdleTimer(clock, ms, resolve)
      })
    current.watch ??= returned(current, pause)
  }

  /** Resolves once the fleet is back. */
  async function returned(current: Outage, pause: (ms: number) => Promise<void>): Promise<void> {
    while (outage === current) {
      await pause(Math.max(current.nextTryAt - steadyMs(clock), 1))
      await tryReturn(current)
    }
  }

  async function changedAlone(current: Outage, signal: AbortSignal | undefined): Promise<void> {
    const end = new AbortController()
    const either = anySignal(signal ? [signal, end.signal] : [end.signal])
    try {
      await Promise.race([current.alone.changed(either), returned(current, (ms) => clock.sleep(ms, either))])
    } finally {
      end.abort(over)
    }
  }

  return {
    async reserve(cost, now) {
      if (outage) await tryReturnSoon(outage)
      if (outage) return await reserveAlone(outage, cost, now)
      try {
        return await reserveInFleet(cost, now)
      } catch (error) {
        return await reserveAlone(begin(error), cost, now)
      }
    },
    async settle(id, outcome) {
      const request = requests.find(id)
      if (request && request.ending === undefined) await settle(request, outcome)
    },
    async withdraw() {
      await outage?.alone.withdraw?.()
      await fleet.withdraw?.().catch(() => {})
    },
    windows: (now) => (outage?.alone ?? fleet).windows(now),
    async changed(signal) {
      if (outage) return await changedAlone(outage, signal)
      try {
        await fleet.changed(signal)
      } catch (error) {
        begin(error)
      }
    },
    close() {
      stopWatch()
      fleet.close?.()
      outage?.alone.close?.()
    },
  }
}

/** An outcome for a ledger that dated the request's sending later than it was. */
function undated(outcome: PacingOutcome): PacingOutcome {
  if (outcome.type !== 'answered') return outcome
  const { cost, isCostAlone } = outcome.report
  return {
    ...outcome,
    report: { ...(cost !== undefined && { cost }), ...(isCostAlone !== undefined && { isCostAlone }) },
  }
}

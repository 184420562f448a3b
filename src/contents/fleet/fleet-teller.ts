import { type Clock, steadyMs } from '../../clock.ts'
import type { OpenLog } from '../../log/redis/fleet-log.ts'
import type { Dated } from '../../log/redis/history.ts'
import { FleetProblem } from '../../log/redis/redis-link.ts'
import type { SharedFact } from './fleet-facts.ts'

/** A fact, and when it was so, by the clock's monotonic time. */
export interface TimedFact {
  readonly fact: SharedFact
  readonly since: number
}

/** How long a run waits for a Redis that is silent. */
export interface FleetPatience {
  /** Called once, before the first wait. */
  readonly onSilent?: (mostMs: number) => void
  /** Called once, when this runner continues without the others. */
  readonly onAlone?: () => void
  /** In milliseconds, if that is less than a minute. */
  readonly maxWaitMs?: number
  /** Ends the wait. */
  readonly stopping?: AbortSignal
}

interface TellerOptions extends OpenLog<SharedFact>, FleetPatience {
  readonly clock: Clock
  /** Called after each answer: what is another's by now shows in the news. */
  readonly onNews: () => void
  /** Called when all was read that others have said before this call. */
  readonly onRead: () => void
}

/** Alone, two runners may store one file twice, and most networks and restarts of Redis are mended by then. */
const PATIENCE_MS = 60_000
/** Redis may be restarting, so the wait is no shorter though no quota is waited for; it is so long for the last facts, too. */
const LEAST_PATIENCE_MS = 10_000
/** For a Redis that was never reached. */
const FIRST_PATIENCE_MS = 3_000
export const TRY_AGAIN_MS = 500
/** More go in several calls, so that none blocks Redis for long. */
export const PER_CALL = 500

/** Tells the fleet facts in their order, at once or as soon as Redis answers, and knows how long that has been silent. */
export function createFleetTeller(options: TellerOptions) {
  const { log, heartbeat, clock, onSilent, onAlone, maxWaitMs = PATIENCE_MS, stopping, onNews, onRead } = options
  const untold: TimedFact[] = []
  const ended = new AbortController()
  let isToRead = false
  let sleeps = 0
  let silent: FleetProblem | undefined
  let isSilenceTold = false
  let isAloneTold = false
  let telling: Promise<void> | undefined

  const timed = (fact: SharedFact): TimedFact => ({ fact, since: steadyMs(clock) })
  const dated = ({ fact, since }: TimedFact): Dated<SharedFact> => ({
    at: Math.round(log.now() - (steadyMs(clock) - since)),
    line: fact,
  })

  function problemOf(error: unknown): FleetProblem {
    if (!(error instanceof FleetProblem)) throw error
    return error
  }

  const patience = (mostMs: number) => (log.heardAt() === undefined ? FIRST_PATIENCE_MS : mostMs)
  const mayAnswer = (error: unknown, withinMs: number) =>
    problemOf(error).isPassing && heartbeat.unansweredMs() < withinMs

  function isCutOff(error: unknown): boolean {
    const patienceMs = patience(Math.min(Math.max(maxWaitMs, LEAST_PATIENCE_MS), PATIENCE_MS))
    if (mayAnswer(error, patienceMs)) {
      if (!isSilenceTold) onSilent?.(patienceMs)
      isSilenceTold = true
      return false
    }
    if (!isAloneTold) onAlone?.()
    isAloneTold = true
    return true
  }

  /** @throws FleetProblem once it is to be given up: by default when this runner continues alone */
  async function patiently<T>(work: () => Promise<T>, isToEnd = isCutOff): Promise<T> {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (isToEnd(error)) throw error
      }
      await clock.sleep(TRY_AGAIN_MS, stopping)
    }
  }

  async function exchange<T>(work: () => Promise<T>): Promise<T> {
    const answer = await work()
    onNews()
    return answer
  }

  function tell(...facts: readonly SharedFact[]): void {
    untold.push(...facts.map(timed))
    if (isToRead || untold.length > 0) telling ??= tellAll()
  }

  async function tellAll(): Promise<void> {
    silent = undefined
    try {
      while (isToRead || untold.length > 0) {
        if (isToRead || log.heardAt() === undefined) await readAll()
        const next = untold.slice(0, PER_CALL)
        if (next.length > 0) await exchange(() => log.tell(next.map(dated)))
        untold.splice(0, next.length)
      }
    } catch (error) {
      // The next call tries again.
      silent = problemOf(error)
    } finally {
      telling = undefined
      heartbeat.arm()
    }
  }

  async function readAll(): Promise<void> {
    const before = sleeps
    await exchange(log.read)
    if (before !== sleeps) return
    isToRead = false
    onRead()
  }

  /** @throws FleetProblem if the fleet does not know all yet */
  async function tellRest(): Promise<void> {
    for (tell(); telling !== undefined; tell()) {
      await telling
      if (silent) throw silent
    }
  }

  return {
    dated,
    isCutOff,
    patiently,
    exchange,
    tell,
    tellRest,
    /** Reads the log as soon as Redis answers. */
    readAgain() {
      isToRead = true
      tell()
    },
    slept() {
      sleeps += 1
    },
    /** Of a call that is not repeated. */
    ignore: (error: unknown) => void problemOf(error),
    hasUntold: () => untold.length > 0,
    isEnded: () => ended.signal.aborted,
    /** Tells what is still untold, for a few seconds at most. */
    async close() {
      const isToEnd = (error: unknown) => !mayAnswer(error, patience(LEAST_PATIENCE_MS))
      // A run that is stopped tries once.
      await patiently(tellRest, isToEnd).catch((error) => stopping?.aborted || problemOf(error))
      ended.abort()
      heartbeat.arm()
    },
  }
}

export type FleetTeller = ReturnType<typeof createFleetTeller>

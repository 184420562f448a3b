import type { Clock } from '../../clock.ts'
import type { RedisLine } from './redis-line.ts'
import { FleetProblem } from './redis-link.ts'
import { problemOf, type ServerWords } from './redis-problems.ts'
import { schemeHint } from './redis-refusals.ts'

/** A line whose calls end in time. The first call without an answer in time loses it for all. A lost line stays lost. */
export interface BoundedLine {
  /** Whether further calls need another line. */
  readonly isOver: () => boolean
  /** @throws FleetProblem */
  call<T>(work: (line: RedisLine) => Promise<T>): Promise<T>
  /** Drops the line, which no call may use any more. */
  end(): void
}

/** How long a call may take, connecting included. */
export const BOUND_MS = 1_000
/** Steps of the bound: a process that did not run for a while is late by one step, and does not blame the server. */
const STEPS = 4

/** @param open gets a function for errors that belong to no call */
export function boundedLine(
  open: (onError: (error: unknown) => void) => RedisLine,
  server: ServerWords,
  clock: Clock,
  onLost: () => void,
): BoundedLine {
  const pending = new Set<(problem: FleetProblem) => void>()
  let isReady = false
  let isLost = false
  const line = open((error) => lose(problemOf(error, server)))
  line.ready.then(
    () => {
      isReady = true
    },
    (error) => lose(problemOf(error, server)),
  )

  function lose(problem: FleetProblem): void {
    if (isLost) return
    isLost = true
    line.drop()
    for (const fail of pending) fail(problem)
    onLost()
  }

  async function call<T>(work: (line: RedisLine) => Promise<T>): Promise<T> {
    const over = new AbortController()
    let fail = (_: FleetProblem) => {}
    const lost = new Promise<never>((_, reject) => {
      fail = reject
    })
    pending.add(fail)
    bound(clock, over.signal).then(
      () => lose(lateness(server, isReady)),
      () => {},
    )
    try {
      return await Promise.race([line.ready.then(() => work(line)), lost])
    } catch (error) {
      const problem = problemOf(error, server)
      // Behind the same name another server may take the writes by now.
      if (problem.kind === 'read-only') lose(problem)
      throw problem
    } finally {
      pending.delete(fail)
      over.abort()
    }
  }

  function end(): void {
    isLost = true
    line.drop()
  }

  return { isOver: () => isLost, call, end }
}

async function bound(clock: Clock, signal: AbortSignal): Promise<void> {
  for (let step = 0; step < STEPS; step += 1) {
    await clock.sleep(BOUND_MS / STEPS, signal)
    // Node calls timers before it reads what has arrived meanwhile.
    await new Promise(setImmediate)
  }
  signal.throwIfAborted()
}

function lateness({ name }: ServerWords, isReady: boolean): FleetProblem {
  const seconds = BOUND_MS / 1_000
  return isReady
    ? new FleetProblem('too-slow', `${name} did not answer within ${seconds} s`)
    : new FleetProblem('unreachable', `${name} cannot be reached: no connection was made within ${seconds} s`, {
        hint: schemeHint,
      })
}

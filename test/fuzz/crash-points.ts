import type { Readable } from 'node:stream'
import { createInterruption } from '../../src/cli/context/interruption.ts'
import type { CliEvent } from '../../src/cli/output/events.ts'
import {
  type Clock,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from '../../src/index.ts'
import type { QuotaLimits } from '../../src/protocol/rate-limits.ts'
import type { PatientClock } from './patient-clock.ts'
import type { Scenario, ScenarioBreak, StandStill } from './scenario.ts'

/** The inputs of a run, and its callbacks. */
export interface RunOptions {
  readonly scenario: Pick<Scenario, 'retries'> & Partial<Pick<Scenario, 'pacing'>>
  readonly apiKey: string
  /** Config, uploads and quota, which the next run finds. */
  readonly folder: string
  readonly clock: Clock
  readonly transport: Transport
  readonly limits: QuotaLimits
  /** What the program reads from standard input. Default: that of the tests. */
  readonly stdin?: Readable
  /** Lets virtual time pass during a wait in the middle of a request. */
  readonly idleDuring?: PatientClock['idleDuring']
  /** Called before each request is sent. @returns the break planned for it */
  readonly onRequest: () => ScenarioBreak | undefined
  /** The break planned for the next request. */
  readonly nextBreak?: () => ScenarioBreak | undefined
  /** Called when the run is killed inside a transaction: the request of that break was not sent. */
  readonly onTorn?: (planned: ScenarioBreak) => void
  /** Called with what the run reports until then; `interrupt` gives it a signal. */
  readonly onEvent?: (event: CliEvent, interrupt: () => void) => void
  /** Called at the moment of a kill: the next run finds the folder as it is now. */
  readonly onKill: (killedBy: ScenarioBreak) => void
}

export type CrashPoints = ReturnType<typeof createCrashPoints>

/**
 * The signals, stops and kills that a scenario plans for one run. After a kill, nothing of the run has any effect; while it
 * is stopped, it neither sends nor receives nor wakes.
 */
export function createCrashPoints(options: RunOptions) {
  const { transport, clock, onRequest, nextBreak, onTorn, onKill, idleDuring = (wait) => wait } = options
  const interruption = createInterruption({ clock })
  let resolveKilled = (_: 'killed') => {}
  /** Resolves when the run is killed. */
  const killed = new Promise<'killed'>((resolve) => {
    resolveKilled = resolve
  })
  let hasBeenKilled = false
  let whenReported: ScenarioBreak | undefined
  let isAnswered = false
  /** Resolves when the run goes on. */
  let standing: Promise<void> | undefined

  async function standStill({ ms = 0, isKilledThen }: StandStill, planned: ScenarioBreak): Promise<void> {
    await clock.sleep(ms)
    standing = undefined
    if (isKilledThen) kill(planned)
  }

  function kill(planned: ScenarioBreak): void {
    if (hasBeenKilled) return
    hasBeenKilled = true
    onKill(planned)
    resolveKilled('killed')
  }

  function breakNow(planned: ScenarioBreak): void {
    if (hasBeenKilled) return
    if (planned.how === 'kill -9') kill(planned)
    else if (typeof planned.how === 'object') standing ??= standStill(planned.how, planned)
    else {
      interruption.stop('SIGINT')
      if (planned.how === 'two signals') interruption.stop('SIGINT')
    }
  }

  /** A source that is waited for when the run is killed does not come any more. */
  async function* untilKilled(chunks: AsyncIterator<Uint8Array>) {
    try {
      for (;;) {
        const next = await Promise.race([chunks.next(), killed])
        if (next === 'killed') throw killedError()
        if (next.done) return
        yield next.value
      }
    } finally {
      chunks.return?.().catch(() => {})
    }
  }

  async function* chunksUntilKilled(request: TransportRequest, planned: ScenarioBreak | undefined) {
    const breaks = planned && { 'at its first byte': 1, 'in its body': 2 }[String(planned.at)]
    let count = 0
    if (request.body === undefined) return
    for await (const chunk of untilKilled(request.body.chunks()[Symbol.asyncIterator]())) {
      count += 1
      if (planned && count === breaks) breakNow(planned)
      if (standing) await idleDuring(standing)
      if (hasBeenKilled) throw killedError()
      yield chunk
    }
  }

  /** The same result, not before the run goes on; it never settles once the run is killed. */
  async function whileAlive<Result>(result: Promise<Result>): Promise<Result> {
    await result.catch(() => {})
    while (standing !== undefined) await standing
    return hasBeenKilled ? await new Promise(() => {}) : await result
  }

  async function send(request: TransportRequest, planned: ScenarioBreak | undefined) {
    const { body } = request
    try {
      const response = await transport.send(body ? withChunks(request, chunksUntilKilled(request, planned)) : request)
      isAnswered = whenReported !== undefined
      if (planned?.at === 'before its answer') breakNow(planned)
      // The emulator waits until the body is read or left.
      if (hasBeenKilled) for await (const _ of response.body) break
      return response
    } catch (error) {
      if (planned?.at === 'before its answer') breakNow(planned)
      throw error
    }
  }

  return {
    interruption,
    clock: { ...clock, sleep: (ms, signal) => whileAlive(clock.sleep(ms, signal)) } satisfies Clock,
    killed,
    isKilled: () => hasBeenKilled,
    /** Kills the run if its plan is to end inside the transaction that is about to be committed. @returns whether it is killed */
    isTorn() {
      const first = nextBreak?.()
      const torn = (isAnswered && whenReported) || (first?.at === 'at its first byte' ? first : undefined)
      if (torn?.torn && torn.how === 'kill -9') {
        onTorn?.(torn)
        breakNow(torn)
      }
      return hasBeenKilled
    },
    /** The same before what it would have told is reported. */
    isKilledBeforeReport() {
      if (whenReported?.torn && whenReported.how === 'kill -9') breakNow(whenReported)
      return hasBeenKilled
    },
    afterReport() {
      if (whenReported !== undefined) breakNow(whenReported)
      whenReported = undefined
      isAnswered = false
    },
    transport: {
      async send(request: TransportRequest): Promise<TransportResponse> {
        if (hasBeenKilled) return await new Promise(() => {})
        const planned = onRequest()
        if (planned?.at === 'once it is reported') whenReported = planned
        if (planned?.at === 'before it') breakNow(planned)
        if (planned && isInMissingBody(planned, request)) breakNow({ ...planned, torn: false })
        if (standing) await whileAlive(Promise.resolve())
        return await whileAlive(
          hasBeenKilled ? Promise.reject(new Error('The program was killed')) : send(request, planned),
        )
      },
    },
  }
}

function killedError(): TransportError {
  return new TransportError('interrupted', 'the program was killed')
}

function withChunks(request: TransportRequest, chunks: AsyncIterable<Uint8Array>): TransportRequest {
  return request.body ? { ...request, body: { ...request.body, chunks: () => chunks } } : request
}

function isInMissingBody({ at }: ScenarioBreak, { body }: TransportRequest): boolean {
  return body === undefined && (at === 'at its first byte' || at === 'in its body')
}

import { createInterruption, type Interruption } from '../../src/cli/run/interruption.ts'
import { type Transport, TransportError, type TransportRequest } from '../../src/index.ts'
import type { RunOptions } from './run-options.ts'
import type { PlotBreak } from './scenario.ts'

/** What one run meets besides the service's own faults: signals and a kill, after which nothing of it happens any more. */
export interface Fate {
  readonly interruption: Interruption
  readonly transport: Transport
  /** Resolves when it is killed. */
  readonly killed: Promise<'killed'>
  isDead(): boolean
  /** A kill that tears the line of what is about to be reported comes before that. */
  endsBeforeReport(): boolean
  afterReport(): void
}

export function createFate({ transport, clock, onRequest, onKill }: RunOptions): Fate {
  const interruption = createInterruption({ clock })
  let tellOfKill = (_: 'killed') => {}
  const killed = new Promise<'killed'>((resolve) => {
    tellOfKill = resolve
  })
  let dead = false
  let whenReported: PlotBreak | undefined

  function breakNow(planned: PlotBreak): void {
    if (dead) return
    if (planned.how !== 'kill -9') {
      interruption.stop('SIGINT')
      if (planned.how === 'two signals') interruption.stop('SIGINT')
      return
    }
    dead = true
    onKill(planned)
    tellOfKill('killed')
  }

  async function* chunksUntilDeath(request: TransportRequest, planned: PlotBreak | undefined) {
    const breaks = planned && { 'at its first byte': 1, 'in its body': 2 }[String(planned.at)]
    let count = 0
    for await (const chunk of request.body?.chunks() ?? []) {
      count += 1
      if (planned && count === breaks) breakNow(planned)
      if (dead) throw new TransportError('interrupted', 'the program was killed')
      yield chunk
    }
  }

  /** What has come about for the program, unless it is dead by then: that hears nothing more for ever. */
  async function alive<Result>(result: Promise<Result>): Promise<Result> {
    return await new Promise((resolve, reject) => {
      result.then(
        (value) => (dead ? undefined : resolve(value)),
        (error) => (dead ? undefined : reject(error)),
      )
    })
  }

  async function send(request: TransportRequest, planned: PlotBreak | undefined) {
    const { body } = request
    try {
      const response = await transport.send(body ? withChunks(request, chunksUntilDeath(request, planned)) : request)
      if (planned?.at === 'before its answer') breakNow(planned)
      // What nobody reads any more would be waited for.
      if (dead) for await (const _ of response.body) break
      return response
    } catch (error) {
      if (planned?.at === 'before its answer') breakNow(planned)
      throw error
    }
  }

  return {
    interruption,
    killed,
    isDead: () => dead,
    endsBeforeReport() {
      if (whenReported?.torn && whenReported.how === 'kill -9') breakNow(whenReported)
      return dead
    },
    afterReport() {
      if (whenReported !== undefined) breakNow(whenReported)
      whenReported = undefined
    },
    transport: {
      async send(request) {
        if (dead) return await new Promise(() => {})
        const planned = onRequest()
        if (planned?.at === 'once it is reported') whenReported = planned
        if (planned?.at === 'before it') breakNow(planned)
        // No line is being written there: the last one is of an attempt that may have arrived.
        if (planned && isInMissingBody(planned, request)) breakNow({ ...planned, torn: false })
        return await alive(dead ? Promise.reject(new Error('The program was killed')) : send(request, planned))
      },
    },
  }
}

function withChunks(request: TransportRequest, chunks: AsyncIterable<Uint8Array>): TransportRequest {
  return request.body ? { ...request, body: { ...request.body, chunks: () => chunks } } : request
}

function isInMissingBody({ at }: PlotBreak, { body }: TransportRequest): boolean {
  return body === undefined && (at === 'at its first byte' || at === 'in its body')
}

import { createQueue } from '../../../src/system/queue.ts'
import { type HttpRequest, RequestAbortedError } from '../../http.ts'
import type { StateControl } from '../control.ts'
import { toJsonStream } from './json-stream.ts'

type Chunks = AsyncIterable<Uint8Array>

/** Each costs the service some work for every request. */
export const mostEventStreams = 50

export function createStreams(state: Pick<StateControl, 'get'>) {
  const inSnapshotTurn = createQueue()
  let open = 0
  return {
    /**
     * The state as JSON. One is made and sent at a time: each takes as much memory as the files that it has.
     * @throws SnapshotError; RequestAbortedError if the client disconnects before its turn
     */
    snapshot(request: HttpRequest): Promise<Chunks> {
      const signal = request.clientGone?.()
      const sent = new Promise<Chunks>((resolve, reject) => {
        const work = async () => {
          signal?.throwIfAborted()
          const chunks = toJsonStream(await state.get())
          // In the same process no connection ends, and the reader might never read.
          if (request.localPort === undefined) return resolve(chunks)
          await new Promise<void>((end) => resolve(untilEnd(chunks, signal, end)))
        }
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
        inSnapshotTurn(work).catch(reject)
      })
      return sent.catch((cause: unknown) => {
        if (signal?.aborted !== true) throw cause
        throw new RequestAbortedError('The client disconnected before its snapshot was made', { cause })
      })
    },
    /**
     * Counts a stream of events as open until it ends, its reader returns or its client disconnects.
     * @returns undefined if {@link mostEventStreams} are open
     */
    events(request: HttpRequest, begin: () => Chunks): Chunks | undefined {
      if (open >= mostEventStreams) return undefined
      const chunks = begin()
      open += 1
      return untilEnd(chunks, request.clientGone?.(), () => {
        open -= 1
      })
    },
  }
}

/** Answers that last: however many ask, they cost the service little. */
export type Streams = ReturnType<typeof createStreams>

/** @param onEnd called once, when the chunks end, their reader returns or the signal aborts */
function untilEnd(chunks: Chunks, signal: AbortSignal | undefined, onEnd: () => void): Chunks {
  const iterator = chunks[Symbol.asyncIterator]()
  let isOver = false
  const end = () => {
    if (isOver) return
    isOver = true
    signal?.removeEventListener('abort', end)
    onEnd()
  }
  if (signal?.aborted) end()
  else signal?.addEventListener('abort', end, { once: true })
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const result = await iterator.next().catch((error: unknown) => {
          end()
          throw error
        })
        if (result.done === true) end()
        return result
      },
      async return() {
        end()
        return (await iterator.return?.()) ?? { done: true, value: undefined }
      },
    }),
  }
}

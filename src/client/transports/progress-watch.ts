import { steadyMs, systemClock } from '../../clock.ts'
import { idleTimeoutError } from './transport-failure.ts'

/** Watches one exchange, so that it ends at once when it is given up, whatever becomes of what it is made of. */
export interface ProgressWatch {
  /** Aborts when the caller aborts or nothing has moved for too long. */
  readonly signal: AbortSignal
  moved(): void
  whenStopped(then: () => void): void
  stop(): void
}

export function watchProgress(idleTimeoutMs: number, callerSignal: AbortSignal | undefined): ProgressWatch {
  const idle = new AbortController()
  const stopped = new AbortController()
  const signal = callerSignal ? AbortSignal.any([callerSignal, idle.signal]) : idle.signal
  let lastMoveAt = steadyMs(systemClock)
  const watch = async () => {
    for (let left = idleTimeoutMs; left > 0; left = lastMoveAt + idleTimeoutMs - steadyMs(systemClock)) {
      await systemClock.sleep(left, stopped.signal)
    }
    idle.abort(idleTimeoutError(idleTimeoutMs))
  }
  watch().catch(() => {})
  return {
    signal,
    moved: () => {
      lastMoveAt = steadyMs(systemClock)
    },
    whenStopped: (then) => stopped.signal.addEventListener('abort', then, { once: true }),
    stop: () => stopped.abort(),
  }
}

/** The same chunks, each told as a move. */
export async function* watched(chunks: AsyncIterable<Uint8Array>, watch: ProgressWatch): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    watch.moved()
    await nextTurn()
    yield chunk
  }
}

/** Kept, for tests put their own in its place and let it stand still. */
const { setImmediate: atNextTurn } = globalThis

/** What has come in meanwhile is looked at before more is sent: an answer, or the end of the connection. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => atNextTurn(resolve))
}

import { steadyMs, systemClock } from '../../clock.ts'
import { nextTurn } from '../../system/next-turn.ts'
import { anySignal, over } from '../../system/signals.ts'
import { exchangeError, idleTimeoutError } from './transport-failure.ts'

/** Watches one exchange: its signal aborts when the caller aborts or nothing moves for too long. */
export interface ProgressWatch {
  readonly signal: AbortSignal
  /** The error to throw for an error of the exchange: why it was aborted, if it was. */
  failure(error: unknown): unknown
  moved(): void
  /** Bytes have come. The time that their reader takes until it asks for more does not count. */
  handed(isWithReader: boolean): void
  whenStopped(then: () => void): void
  stop(): void
}

export function watchProgress(idleTimeoutMs: number, callerSignal: AbortSignal | undefined): ProgressWatch {
  const idle = new AbortController()
  const stopped = new AbortController()
  const signal = callerSignal ? anySignal([callerSignal, idle.signal], stopped.signal) : idle.signal
  let lastMoveAt = steadyMs(systemClock)
  let isWithReader = false
  const leftMs = () => (isWithReader ? idleTimeoutMs : lastMoveAt + idleTimeoutMs - steadyMs(systemClock))
  const moved = () => {
    lastMoveAt = steadyMs(systemClock)
  }
  const watch = async () => {
    for (let left = idleTimeoutMs; left > 0; left = leftMs()) {
      await systemClock.sleep(left, stopped.signal)
    }
    idle.abort(idleTimeoutError(idleTimeoutMs))
  }
  watch().catch(() => {})
  return {
    signal,
    failure: (error) => exchangeError(signal.aborted ? signal.reason : error, callerSignal),
    moved,
    handed(is) {
      isWithReader = is
      moved()
    },
    whenStopped: (then) => stopped.signal.addEventListener('abort', then, { once: true }),
    stop: () => stopped.abort(over),
  }
}

/** The same chunks; each one counts as progress. */
export async function* watched(chunks: AsyncIterable<Uint8Array>, watch: ProgressWatch): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    watch.moved()
    await nextTurn()
    yield chunk
  }
}

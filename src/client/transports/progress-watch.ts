import { setImmediate as nextTurn } from 'node:timers/promises'
import { steadyMs, systemClock } from '../../clock.ts'
import { abortable, anySignal, over } from '../../system/signals.ts'
import { cutError, exchangeError, idleTimeoutError, isShortBody } from './transport-failure.ts'

export function watchProgress(idleTimeoutMs: number, callerSignal: AbortSignal | undefined) {
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
    /** The error to throw for an error of the exchange: why it was aborted, if it was. */
    failure: (error: unknown) => exchangeError(signal.aborted ? signal.reason : error, callerSignal),
    moved,
    /** Bytes have come. The time that their reader takes until it asks for more does not count. */
    handed(is: boolean) {
      isWithReader = is
      moved()
    },
    whenStopped: (then: () => void) => stopped.signal.addEventListener('abort', then, { once: true }),
    stop: () => stopped.abort(over),
  }
}

/** Watches one exchange: its signal aborts when the caller aborts or nothing moves for too long. */
export type ProgressWatch = ReturnType<typeof watchProgress>

/** The same chunks; each one counts as progress. */
export async function* watched(chunks: AsyncIterable<Uint8Array>, watch: ProgressWatch): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    watch.moved()
    await nextTurn()
    yield chunk
  }
}

/** The chunks of an answer, taken by a reader. @param over called at their end, or once the reader leaves */
export async function* received(
  chunks: AsyncIterable<Uint8Array>,
  watch: ProgressWatch,
  over: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of abortable(chunks, watch.signal)) {
      watch.handed(true)
      yield chunk
      watch.handed(false)
    }
  } catch (error) {
    throw watch.failure(isShortBody(error) ? cutError() : error)
  } finally {
    over()
  }
}

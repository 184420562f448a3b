import { setImmediate as nextTurn } from 'node:timers/promises'
import { steadyMs, systemClock } from '../../clock.ts'
import { abortable, anySignal, over } from '../../system/signals.ts'
import { cutError, exchangeError, idleTimeoutError, isShortBody } from './transport-failure.ts'

/** Watches one exchange. */
export class ProgressWatch {
  /** Aborts when the caller aborts or nothing moves for too long. */
  readonly signal: AbortSignal
  readonly #callerSignal: AbortSignal | undefined
  readonly #stopped = new AbortController()
  #lastMoveAt = steadyMs(systemClock)
  #isWithReader = false

  constructor(idleTimeoutMs: number, callerSignal: AbortSignal | undefined) {
    const idle = new AbortController()
    this.#callerSignal = callerSignal
    this.signal = callerSignal ? anySignal([callerSignal, idle.signal], this.#stopped.signal) : idle.signal
    this.#silence(idleTimeoutMs).then(
      () => idle.abort(idleTimeoutError(idleTimeoutMs)),
      () => {},
    )
  }

  /** Resolves once nothing has moved for so long; rejects when the watch stops. */
  async #silence(idleTimeoutMs: number): Promise<void> {
    for (let left = idleTimeoutMs; left > 0; left = this.#lastMoveAt + idleTimeoutMs - steadyMs(systemClock)) {
      await systemClock.sleep(left, this.#stopped.signal)
      if (this.#isWithReader) this.moved()
    }
  }

  moved(): void {
    this.#lastMoveAt = steadyMs(systemClock)
  }

  /** Bytes have come. The time that their reader takes until it asks for more does not count. */
  handed(is: boolean): void {
    this.#isWithReader = is
    this.moved()
  }

  /** The error to throw for an error of the exchange: why it was aborted, if it was. */
  failure(error: unknown): unknown {
    return exchangeError(this.signal.aborted ? this.signal.reason : error, this.#callerSignal)
  }

  stop(): void {
    this.#stopped.abort(over)
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

import { shareSignal } from '../../src/system/signals.ts'
import { afterRealTime, createSystemClock, type EmulatorClock } from '../clock/clock.ts'
import { EmulatorError } from '../emulator-error.ts'
import { ConnectionResetError, type HttpHandler, type HttpRequest, noBody } from '../http.ts'

/** How long requests in progress may take once the emulator closes, in milliseconds. */
export const closeGraceMs = 5_000

/**
 * The requests in progress: a clock in the mode `auto` stands meanwhile, and closing waits for them for a limited time.
 */
export class OpenRequests {
  readonly #answer: HttpHandler
  readonly #clock: EmulatorClock
  readonly #realTime: Pick<EmulatorClock, 'sleep'>
  readonly #cutting = new AbortController()
  #open = 0
  #isClosed = false
  #whenNoneIsOpen = () => {}

  /**
   * @param clock the service's time
   * @param realTime the system clock by default, since the caller of `close()` waits in real time
   */
  constructor(answer: HttpHandler, clock: EmulatorClock, realTime: Pick<EmulatorClock, 'sleep'> = createSystemClock()) {
    this.#answer = answer
    this.#clock = clock
    this.#realTime = realTime
    // Every waiting request listens.
    shareSignal(this.cut)
  }

  /** Aborts requests that have no connection to cut: pending bodies and delayed responses. */
  get cut(): AbortSignal {
    return this.#cutting.signal
  }

  /** The handler until `close()`. @throws Error afterwards */
  readonly handle: HttpHandler = async (arrived) => {
    if (this.#isClosed) throw new EmulatorError('emulator-closed', 'The emulator is closed')
    const { request, end } = this.#begin(arrived)
    this.#open += 1
    try {
      return await this.#answer(request)
    } finally {
      end()
      this.#open -= 1
      if (this.#open === 0) this.#whenNoneIsOpen()
    }
  }

  /** The clock may move while the body pauses: the client may be sleeping on it between two parts. */
  #begin(request: HttpRequest) {
    const clock = this.#clock
    let end = clock.beginRequest()
    // On another clock the mode may still become auto while the body arrives.
    if (clock.mode === 'system' || request.body === noBody) return { request, end }
    let isOver = false
    const suspend = () => end()
    const resume = () => {
      if (!isOver) end = clock.beginRequest()
    }
    return {
      request: { ...request, body: withPauses(request.body, suspend, resume) },
      end() {
        isOver = true
        end()
      },
    }
  }

  /** Stops accepting requests and waits for those in progress; those still open after 5 s are cut. */
  async close(): Promise<void> {
    this.#isClosed = true
    const done = new AbortController()
    const allDone = new Promise<void>((resolve) => {
      this.#whenNoneIsOpen = resolve
      if (this.#open === 0) resolve()
    }).then(() => done.abort())
    await this.#realTime.sleep(closeGraceMs, done.signal).catch(() => {})
    this.#cutting.abort(new ConnectionResetError('The connection was broken because the emulator closed'))
    await allDone
  }
}

/** How long a body may pause before its client counts as waiting, in milliseconds of real time. */
const pauseMs = 50

async function* withPauses(body: AsyncIterable<Uint8Array>, suspend: () => void, resume: () => void) {
  const source = body[Symbol.asyncIterator]()
  try {
    for (;;) {
      let isSuspended = false
      const stop = afterRealTime(pauseMs, () => {
        isSuspended = true
        suspend()
      })
      const { done, value } = await source.next().finally(() => {
        stop()
        if (isSuspended) resume()
      })
      if (done) return
      yield value
    }
  } finally {
    await source.return?.()
  }
}

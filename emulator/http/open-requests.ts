import { shareSignal } from '../../src/system/signals.ts'
import { afterRealTime, createSystemClock, type EmulatorClock } from '../clock/clock.ts'
import { EmulatorError } from '../emulator-error.ts'
import { type HttpHandler, type HttpRequest, noBody } from '../http-types.ts'
import { andFinally } from '../values/maybe-promise.ts'
import { ConnectionResetError } from './request/request-body.ts'

/** How long requests in progress may take once the emulator closes, in milliseconds. */
export const closeGraceMs = 5_000

/**
 * Tracks the requests in progress: a clock in the mode `auto` stands meanwhile, and closing waits for them for a limited
 * time.
 * @param clock the service's time
 * @param realTime the system clock by default, since the caller of `close()` waits in real time
 */
export function createOpenRequests(
  answer: HttpHandler,
  clock: EmulatorClock,
  realTime: Pick<EmulatorClock, 'sleep'> = createSystemClock(),
) {
  let open = 0
  let whenNoneIsOpen = () => {}
  const cutting = new AbortController()
  // Every waiting request listens.
  shareSignal(cutting.signal)
  let isClosed = false
  const handle: HttpHandler = (arrived) => {
    if (isClosed) throw new EmulatorError('emulator-closed', 'The emulator is closed')
    const { request, end } = beginHandling(arrived, clock)
    open += 1
    const finish = () => {
      end()
      open -= 1
      if (open === 0) whenNoneIsOpen()
    }
    return andFinally(() => answer(request), finish)
  }
  return {
    /** The handler until `close()`. @throws Error afterwards */
    handle,
    /** Aborts requests that have no connection to cut: pending bodies and delayed replies. */
    // A declaration file cannot name the type as Node's types infer it.
    cut: cutting.signal as AbortSignal,
    /** Stops accepting requests and waits for those in progress; those still open after 5 s are cut. */
    async close() {
      isClosed = true
      const done = new AbortController()
      const allDone = new Promise<void>((resolve) => {
        whenNoneIsOpen = resolve
        if (open === 0) resolve()
      }).then(() => done.abort())
      await realTime.sleep(closeGraceMs, done.signal).catch(() => {})
      cutting.abort(new ConnectionResetError('The connection was broken because the emulator closed'))
      await allDone
    },
  }
}

/** How long a body may pause before its client counts as waiting, in milliseconds of real time. */
const pauseMs = 50

/** The clock may move while the body pauses: the client may be sleeping on it between two parts. */
function beginHandling(request: HttpRequest, clock: EmulatorClock) {
  let end = clock.beginRequest()
  // On another clock the mode may still become auto while the body arrives.
  if (clock.mode === 'system' || request.body === noBody) return { request, end }
  let isOver = false
  const suspend = () => end()
  const resume = () => {
    if (!isOver) end = clock.beginRequest()
  }
  return {
    request: { ...request, body: withPauses(request.body, { suspend, resume }) },
    end() {
      isOver = true
      end()
    },
  }
}

async function* withPauses(
  body: AsyncIterable<Uint8Array>,
  { suspend, resume }: { readonly suspend: () => void; readonly resume: () => void },
): AsyncGenerator<Uint8Array> {
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

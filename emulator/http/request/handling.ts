import { afterRealTime, type EmulatorClock } from '../../clock/clock.ts'
import type { HttpRequest } from '../../http-types.ts'

/** How long a body may pause before its client counts as waiting, in milliseconds of real time. */
const pauseMs = 50

export interface Handling {
  /** The request to be handled. */
  readonly request: HttpRequest
  end(): void
}

/**
 * Notes that a request is being handled: a clock in the mode `auto` stands meanwhile. It may move while the body pauses,
 * because the client may be sleeping on that clock between two parts of it.
 */
export function beginHandling(request: HttpRequest, clock: EmulatorClock): Handling {
  let end = clock.beginRequest()
  // On another clock the mode may still become auto while the body arrives.
  if (clock.mode === 'system') return { request, end }
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

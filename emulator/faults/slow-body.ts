import { anySignal } from '../../src/system/signals.ts'
import type { EmulatorClock } from '../clock/clock.ts'
import type { HttpRequest } from '../http-types.ts'

interface SlowBody {
  readonly ms: number
  readonly size: number
  readonly request: HttpRequest
  readonly clock: EmulatorClock
}

/** Sends `size` bytes every `ms` milliseconds; stops waiting, and closes its source, when the reader leaves. */
export function slowly(
  pieces: AsyncIterable<Uint8Array>,
  { ms, size, request, clock }: SlowBody,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const source = pieces[Symbol.asyncIterator]()
      const closed = new AbortController()
      const clientGone = request.clientGone?.()
      const signal = clientGone === undefined ? closed.signal : anySignal([closed.signal, clientGone])
      let isFirst = true
      let rest: Uint8Array = new Uint8Array()
      return {
        async next() {
          while (rest.length === 0) {
            const { done, value } = await source.next()
            if (done === true) return { done, value }
            rest = value
          }
          if (!isFirst) {
            const end = clock.beginRequest()
            await clock.pass(ms, signal).finally(end)
          }
          isFirst = false
          const value = rest.subarray(0, size)
          rest = rest.subarray(size)
          return { done: false, value }
        },
        async return() {
          closed.abort()
          await source.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

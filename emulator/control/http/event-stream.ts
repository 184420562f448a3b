import { afterRealTime } from '../../clock/clock.ts'
import type { RequestStream } from '../request-stream.ts'

/** The real time between comments that keep an idle connection alive. */
const heartbeatMs = 15_000

/**
 * Writes log events as server-sent events, with comments as a heartbeat.
 * @param everyMs the time between heartbeats
 */
export function toEventStream(events: RequestStream, everyMs: number = heartbeatMs): AsyncIterable<Uint8Array> {
  let begun = false
  let pending: ReturnType<RequestStream['next']> | undefined
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        if (!begun) {
          begun = true
          return { done: false, value: Buffer.from(': requests from now on\n\n') }
        }
        pending ??= events.next()
        const { promise: resting, resolve: beat } = Promise.withResolvers<void>()
        const stop = afterRealTime(everyMs, beat)
        const result = await Promise.race([pending, resting])
        stop()
        if (result === undefined) return { done: false, value: Buffer.from(': still here\n\n') }
        pending = undefined
        if (result.done) return result
        const { event, ...data } = result.value
        const shown = 'request' in data ? data.request : data
        return { done: false, value: Buffer.from(`event: ${event}\ndata: ${JSON.stringify(shown)}\n\n`) }
      },
      return: () => events.return(),
    }),
  }
}

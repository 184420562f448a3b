import { type LoggedRequest, loggedRequest, type RequestRecord } from '../storage/record-types.ts'
import type { RequestLog } from '../storage/request-log.ts'

/** An event of the request log. */
export type RequestEvent =
  | { readonly event: 'request'; readonly request: LoggedRequest }
  /** So many requests were dropped because the reader was too slow. */
  | { readonly event: 'missed'; readonly count: number }

/** Log events as they happen. A reader that stops early calls `return`, as `for await` does, to release the stream. */
export interface RequestStream extends AsyncIterableIterator<RequestEvent, undefined> {
  return(): Promise<IteratorReturnResult<undefined>>
}

/** Events buffered for a slow reader. */
const mostWaiting = 10_000

interface StreamContext {
  readonly feed: Pick<RequestLog, 'followers'>
  readonly matches: (request: RequestRecord) => boolean
  /** Ends the stream. */
  readonly signal: AbortSignal | undefined
  /** Awaited before each event: the request may not be durable yet. */
  flushed(): Promise<void>
}

/** Follows the log from now on. Starts at once, not with the first `next()`. */
export function streamRequests({ feed, matches, signal, flushed }: StreamContext): RequestStream {
  let waiting: RequestRecord[] = []
  let missed = 0
  let ended = false
  let wake = () => {}

  const stop = () => {
    ended = true
    feed.followers.off('request', add).off('end', stop)
    signal?.removeEventListener('abort', stop)
    wake()
  }
  const add = (request: RequestRecord) => {
    if (!matches(request)) return
    if (waiting.length >= mostWaiting) missed += 1
    else waiting.push(request)
    wake()
  }
  feed.followers.on('request', add).on('end', stop)
  if (signal?.aborted) stop()
  else signal?.addEventListener('abort', stop, { once: true })

  const nextEvent = (): RequestEvent | undefined => {
    const request = waiting.shift()
    if (request !== undefined) return { event: 'request', request: loggedRequest.write(request) }
    if (missed === 0) return undefined
    const count = missed
    missed = 0
    return { event: 'missed', count }
  }

  return {
    async next() {
      for (;;) {
        const value = nextEvent()
        if (value !== undefined) {
          await flushed()
          return { done: false, value }
        }
        if (ended) return finished
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    async return() {
      waiting = []
      stop()
      return finished
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

const finished = { done: true, value: undefined } as const

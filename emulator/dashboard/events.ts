import { afterRealTime, createSystemClock } from '../clock/clock.ts'
import { mostEventStreams, type Streams } from '../control/http/streams.ts'
import { type HttpReply, type HttpRequest, headerOf } from '../http-types.ts'
import type { Dashboard } from './context.ts'
import { requestEvents } from './requests/request-events.ts'
import type { View } from './section.ts'
import { sections } from './sections.ts'
import { serverSentEvent } from './server-sent-event.ts'

/** A page gets what is new this often at most, and looks are so much further apart while nothing is asked of the service. */
const [leastApartMs, idleMs] = [100, 150]
/** For each row that it got, a page waits longer for the next: a fast run is shown about once a second. */
const rowMs = 5
/** After making the live parts, so many times as long nothing of them is made by any page: 10,000 accounts cost 2 %. */
const restFactor = 50
const clock = createSystemClock()
const realTime = () => clock.monotonic?.() ?? clock.now()
/** After so many looks without news, about 15 s, a comment keeps the connection alive. */
const mostQuietLooks = 60

/** Where as many pages have a stream as may, the next ask again and again: `EventSource` does so by itself. */
const pollMs = 2_000

/**
 * The one stream of a page, or what is new where too many are open; the event `polling` says so. It begins after the
 * request that the page has last, told by `after` and `era` in the query, or, of a connection that ended, by
 * `Last-Event-ID`.
 *
 * Events: `start` names this run of the emulator; `request`, `missed` and `tally` are of the log; `reset` says that the
 * log was cleared, so that the page is to be fetched again, and ends the stream; a section's name brings its live part.
 */
export async function eventsReply(view: View, request: HttpRequest, { start, streams }: Dashboard): Promise<HttpReply> {
  const headers = {
    'Content-Type': 'text/event-stream',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  }
  const after = Number(headerOf(request, 'last-event-id') ?? view.query.get('after') ?? 0) || 0
  const opening = serverSentEvent('start', start)
  if (request.method === 'HEAD') return { status: 200, headers, body: null }
  const begin = () => stream(view, { after, opening, streams }, request)
  const body = streams.events(request, begin) ?? opening + (await streams.alone(() => newsFor(view, after)))
  return { status: 200, headers, body }
}

function newsFor(view: View, after: number): string {
  const polling = `retry: ${pollMs}\n${serverSentEvent('polling', mostEventStreams)}`
  return polling + requestEvents(view, after).next().text + liveEvents(view, () => 1)()
}

interface Opening {
  readonly after: number
  readonly opening: string
  readonly streams: Streams
}

async function* stream(
  view: View,
  { after, opening, streams }: Opening,
  request: HttpRequest,
): AsyncGenerator<Uint8Array> {
  const { signal, told, end } = listen(view, request)
  const requests = requestEvents(view, after)
  const liveParts = liveEvents(view, streams.open)
  let quietLooks = 0
  try {
    yield Buffer.from(opening)
    while (!signal.aborted) {
      const news = await streams.alone(() => {
        const looked = requests.next()
        return { ...looked, text: looked.text + liveParts() }
      })
      const { text } = news
      quietLooks = text === '' ? quietLooks + 1 : 0
      if (text !== '') yield Buffer.from(text)
      else if (quietLooks % mostQuietLooks === 0) yield Buffer.from(': still here\n\n')
      if (news.isOver) return
      await pause(leastApartMs + news.rows * rowMs, signal)
      await Promise.race([told(), pause(idleMs, signal)])
    }
  } finally {
    end()
  }
}

/** The parts of sections whose text has changed since the last call. */
function liveEvents(view: View, openStreams: () => number): () => string {
  const sent = new Map<string, string>()
  let restUntil = Number.NEGATIVE_INFINITY
  return () => {
    const began = realTime()
    if (began < restUntil) return ''
    let text = ''
    for (const { name, live } of sections) {
      const part = live?.(view).toString()
      if (part === undefined || part === sent.get(name)) continue
      sent.set(name, part)
      text += serverSentEvent(name, part)
    }
    const endedAt = realTime()
    restUntil = endedAt + (endedAt - began) * restFactor * openStreams()
    return text
  }
}

interface Listening {
  /** Aborts when the client is gone or the emulator closes. */
  readonly signal: AbortSignal
  /** Resolves at the next request to the service; at once if there was one since the last call. */
  told(): Promise<void>
  end(): void
}

function listen({ journal }: View, request: HttpRequest): Listening {
  const ending = new AbortController()
  const stop = () => ending.abort()
  let isTold = false
  let wake = () => {}
  const unsubscribe = journal.subscribe(() => {
    isTold = true
    wake()
  }, stop)
  const gone = request.clientGone?.()
  if (gone?.aborted) stop()
  gone?.addEventListener('abort', stop, { once: true })
  return {
    signal: ending.signal,
    told: () =>
      new Promise((resolve) => {
        wake = () => {
          wake = () => {}
          isTold = false
          resolve()
        }
        if (isTold) wake()
      }),
    end() {
      unsubscribe()
      gone?.removeEventListener('abort', stop)
    },
  }
}

/** Ends early if the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      stopTimer()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const stopTimer = afterRealTime(ms, end)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}

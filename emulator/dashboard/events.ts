import { afterRealTime, createSystemClock } from '../clock/clock.ts'
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
/** After making the live parts, so many times as long nothing of them is made: 10,000 accounts cost the service 2 %. */
const restFactor = 50
const clock = createSystemClock()
const realTime = () => clock.monotonic?.() ?? clock.now()
/** After so many looks without news, about 15 s, a comment keeps the connection alive. */
const mostQuietLooks = 60

/**
 * The one stream of a page. It begins after the request that the page has last, told by `after` and `era` in the query,
 * or, of a connection that was broken, by `Last-Event-ID`.
 *
 * Events: `start` names this run of the emulator; `request`, `missed` and `tally` are of the log; `reset` says that the
 * log was cleared, so that the page is to be fetched again, and ends the stream; a section's name brings its live part.
 */
export async function eventsReply(view: View, request: HttpRequest, { start }: Dashboard): Promise<HttpReply> {
  const headers = {
    'Content-Type': 'text/event-stream',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  }
  const after = Number(headerOf(request, 'last-event-id') ?? view.query.get('after') ?? 0) || 0
  const opening = serverSentEvent('start', start)
  return { status: 200, headers, body: request.method === 'HEAD' ? null : stream(view, { after, opening }, request) }
}

interface Opening {
  readonly after: number
  readonly opening: string
}

async function* stream(view: View, { after, opening }: Opening, request: HttpRequest): AsyncGenerator<Uint8Array> {
  const { signal, told, end } = listen(view, request)
  const requests = requestEvents(view, after)
  const liveParts = liveEvents(view)
  let quietLooks = 0
  try {
    yield Buffer.from(opening)
    while (!signal.aborted) {
      const news = requests.next()
      const text = news.text + liveParts()
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
function liveEvents(view: View): () => string {
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
    restUntil = endedAt + (endedAt - began) * restFactor
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

import { randomBytes } from 'node:crypto'
import { version } from '../../../package.json'
import { windowNames } from '../../../src/protocol/rate-limits.ts'
import { afterRealTime, createSystemClock } from '../../clock/clock.ts'
import type { HttpRequest } from '../../http.ts'
import type { Service } from '../../service/service.ts'
import { loggedRequest, type RequestRecord } from '../../storage/record-types.ts'
import type { RequestLog } from '../../storage/request-log.ts'
import { findAccounts } from '../account-control.ts'
import { type Control, heldBy } from '../control.ts'
import { type RequestNews, requestNews } from '../request-events.ts'
import type { RequestQuery } from '../request-query.ts'
import { mostEventStreams, type Streams } from './streams.ts'

/** A page gets what is new this often at most, and looks are so much further apart while nothing is asked of the service. */
const [leastApartMs, idleMs] = [100, 150]
/** For each row that it got, a page waits longer for the next: a fast run is shown about once a second. */
const rowMs = 5
/** After making the live parts, so many times as long nothing of them is made for any page: 10,000 accounts cost 2 %. */
const restFactor = 50
const clock = createSystemClock()
const realTime = () => clock.monotonic?.() ?? clock.now()
/** After so many looks without news, about 15 s, a comment keeps the connection alive. */
const mostQuietLooks = 60

/** Where as many pages have a stream as may, the next ask again and again: `EventSource` does so by itself. */
const pollMs = 2_000

/** Accounts on one page: a suite makes one for each test. */
const accountsAtOnce = 10

/** What a page wants to see besides the whole: which requests, whose quota, which accounts. */
export interface LiveQuery {
  readonly requests: RequestQuery
  readonly after: number
  readonly era: number | undefined
  readonly quotaOf: number
  readonly find: string
  readonly accountsFrom: number
}

interface LiveContext {
  readonly control: Control
  readonly service: Service
  readonly streams: Streams
}

/**
 * Everything that changes, as one stream of events for a page. It begins after the request that the page has last, told
 * by `after` and `era`, or, of a connection that ended, by `Last-Event-ID`. Where too many streams are open, it ends at
 * once with what is new, and `polling` says so.
 *
 * Events: `start` names this run of the emulator; `request`, `missed` and `tally` are of the log; `reset` says that the
 * log was cleared, and ends the stream; each of {@link LiveParts} comes whenever it differs from what came before.
 */
export function createLiveEvents(context: LiveContext) {
  const { service, streams } = context
  const log = service.requests
  const eventOf = requestEvents(log)
  const start = randomBytes(9).toString('base64url')

  /** @throws TypeError saying what a field of the filter takes */
  const events = (request: HttpRequest, query: LiveQuery): AsyncIterable<Uint8Array> => {
    const after = Number(request.headers['last-event-id'] ?? query.after) || 0
    const next = requestNews(log, { query: query.requests, after, era: query.era })
    const parts = livePartsOf(query)
    const news = () => {
      const requests = next()
      return { ...requests, text: newsText(requests, eventOf) + parts() }
    }
    const { last, era } = log.state()
    const opening = serverSentEvent('start', { run: start, version, last, era: query.era ?? era })
    return streams.events(request, () => stream(request, opening, news)) ?? once(opening, news)
  }

  async function* once(opening: string, news: () => { readonly text: string }): AsyncGenerator<Uint8Array> {
    const polling = `retry: ${pollMs}\n${serverSentEvent('polling', mostEventStreams)}`
    yield Buffer.from(opening + polling + (await streams.alone(news)).text)
  }

  async function* stream(
    request: HttpRequest,
    opening: string,
    news: () => RequestNews & { readonly text: string },
  ): AsyncGenerator<Uint8Array> {
    const { signal, told, end } = listen(log, request)
    let quietLooks = 0
    try {
      yield Buffer.from(opening)
      while (!signal.aborted) {
        const { text, requests, reset } = await streams.alone(news)
        quietLooks = text === '' ? quietLooks + 1 : 0
        if (text !== '') yield Buffer.from(text)
        else if (quietLooks % mostQuietLooks === 0) yield Buffer.from(': still here\n\n')
        if (reset !== undefined) return
        await pause(leastApartMs + requests.length * rowMs, signal)
        await Promise.race([told(), pause(idleMs, signal)])
      }
    } finally {
      end()
    }
  }

  /** @returns the events of those parts that have changed since the last call */
  const livePartsOf = (query: LiveQuery): (() => string) => {
    const show = livePartMakers(context, query)
    const sent = new Map<string, string>()
    let restUntil = Number.NEGATIVE_INFINITY
    return () => {
      const began = realTime()
      if (began < restUntil) return ''
      let text = ''
      for (const [name, part] of Object.entries(show)) {
        const event = serverSentEvent(name, part())
        if (event !== sent.get(name)) text += event
        sent.set(name, event)
      }
      const endedAt = realTime()
      restUntil = endedAt + (endedAt - began) * restFactor * streams.open()
      return text
    }
  }

  return events
}

export type LiveEvents = ReturnType<typeof createLiveEvents>

function livePartMakers({ control, service }: LiveContext, { quotaOf, find, accountsFrom }: LiveQuery) {
  return {
    clock() {
      const { now, mode } = control.clock.get()
      return { now: `${now.slice(0, 19)}Z`, mode, next: control.clock.next() ?? null }
    },
    faults: control.faults.list,
    settings: control.settings.get,
    state: () => heldBy(service),
    connection: control.connection,
    quota: () => quotaPart(control, quotaOf) ?? null,
    accounts: () => findAccounts(service, find, accountsFrom, accountsAtOnce),
  }
}

type PartMakers = ReturnType<typeof livePartMakers>

/** What of the emulator is live, by the names of its events. */
export type LiveParts = { readonly [Name in keyof PartMakers]: ReturnType<PartMakers[Name]> }

/** Of the account that is named, else of the first; without the times at which requests fit, which change all the time. */
function quotaPart({ accounts }: Control, id: number) {
  const all = accounts.list()
  const account = all.find((one) => one.id === id) ?? all[0]
  if (account === undefined) return undefined
  const windows = accounts.quota(account.id)
  const shown = windowNames.map((name) => [name, { ...windows[name], fits_at: undefined }])
  return {
    account_id: account.id,
    email: account.email,
    is_own: account.quotas !== null,
    windows: Object.fromEntries(shown),
  }
}

function newsText(
  { requests, missed, tally, reset }: RequestNews,
  eventOf: (request: RequestRecord) => string,
): string {
  if (reset !== undefined) return serverSentEvent('reset', reset)
  const gap = missed === 0 ? '' : serverSentEvent('missed', missed)
  return gap + requests.map(eventOf).join('') + (tally === undefined ? '' : serverSentEvent('tally', tally))
}

/** More than a page gets at once: pages ask for the newest at about the same time. */
const mostWritten = 1_000

/** Requests as events. Each is written once for all pages. */
function requestEvents(log: RequestLog) {
  const written = new Map<string, string>()
  return (request: RequestRecord): string => {
    const name = `${log.state().era} ${request.number}`
    const text = written.get(name) ?? serverSentEvent('request', loggedRequest.write(request), request.number)
    if (written.size >= mostWritten) written.clear()
    written.set(name, text)
    return text
  }
}

/** One event of a stream. The data is JSON, so that it is one line. */
function serverSentEvent(event: string, data: unknown, id?: number): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`
}

interface Listening {
  /** Aborts when the client is gone or the emulator closes. */
  readonly signal: AbortSignal
  /** Resolves at the next request to the service; at once if there was one since the last call. */
  told(): Promise<void>
  end(): void
}

function listen(log: RequestLog, request: HttpRequest): Listening {
  const ending = new AbortController()
  const stop = () => ending.abort()
  let isTold = false
  let wake = () => {}
  const unsubscribe = log.subscribe(() => {
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

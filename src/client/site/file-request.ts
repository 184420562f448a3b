import type { Clock } from '../../clock.ts'
import { refusalWait, unavailableWaitMs } from '../../pacing/quota-model/refusals.ts'
import { anySignal, shareSignal } from '../../system/signals.ts'
import { reasonOf } from '../../system/system-errors.ts'
import { connectionError } from '../call-errors.ts'
import { brokenBy, type FileHostError, UnexpectedResponseError } from '../errors.ts'
import { askedMs, askingCaches, type ClientEvent, exchange, userAgentHeader } from '../exchange.ts'
import { decideRetry, defaultRetries } from '../retry.ts'
import type { Transport, TransportError, TransportResponse } from '../transports/transport.ts'

/** Requests for raw files. They carry no key, because these may lie on another host than the API, and cost no units. */
export interface FileRequestOptions {
  readonly transport: Transport
  readonly clock: Clock
  readonly userAgent?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onEvent?: ((event: ClientEvent) => void) | undefined
  /** How many failures in a row, without a byte of progress between them, are retried. Default: 5. */
  readonly retries?: number | undefined
  /** How long all waits that the site asks for may take together, without progress. Default: unlimited. */
  readonly maxWaitMs?: number | undefined
}

type Headers = Readonly<Record<string, string>>
type SiteAnswer = Pick<TransportResponse, 'status' | 'headers'>

/** Asks once for the file, or for the part of it that the headers name. `unwanted` ends the answer. */
export type GetFile = (range?: Headers, unwanted?: AbortSignal) => Promise<TransportResponse>

interface SiteCall<T> {
  /** Brings what was asked for, or the error of the call where it is not repeated. */
  send(get: GetFile): Promise<({ readonly value: T } | { readonly error: unknown }) & { readonly answer: SiteAnswer }>
  /** The error where no answer came, or it broke off. Default: one of a connection. */
  unanswered?(cause: TransportError, error: unknown): unknown
  /** Whether the last attempt brought bytes: then earlier refusals and failures no longer count. Default: no. */
  hasProgressed?(): boolean
}

/**
 * Asks a site for a file, and again after failures and refusals.
 * @throws what `send` throws and what {@link requestFile} throws, but for failures of connections
 */
export async function callSite<T>(url: string, options: FileRequestOptions, call: SiteCall<T>): Promise<T> {
  const { retries = defaultRetries, maxWaitMs = Number.POSITIVE_INFINITY, clock, signal, onEvent } = options
  const { unanswered = (cause: TransportError) => siteUnreachable(url, cause) } = call
  const request = { method: 'GET', path: plainUrl(url) }
  shareSignal(signal)
  let [failures, waitedMs] = [0, 0]
  for (let attempt = 1; ; attempt += 1) {
    const get: GetFile = (range = {}, unwanted) => {
      const signals = [signal, unwanted].filter((one) => one !== undefined)
      return requestFile(url, range, attempt, unwanted ? { ...options, signal: anySignal(signals) } : options)
    }
    const { end, holdMs, reason, ...outcome } = await call.send(get).then(
      ({ answer, ...brought }) => {
        const answered = { type: 'answered', status: answer.status, bodyFinished: true } as const
        const reason = 'error' in brought ? reasonOf(brought.error) : `the site answered ${answer.status}`
        return { ...brought, end: answered, holdMs: askedWaitMs(answer), reason }
      },
      (error: unknown) => {
        const cause = brokenBy(error)
        if (cause === undefined) throw error
        const told = unanswered(cause, error)
        const { failure, permanent } = cause
        const failed = { type: 'failed', failure, permanent, bodyFinished: true } as const
        return { error: told, end: failed, holdMs: 0, reason: reasonOf(told) }
      },
    )
    if (call.hasProgressed?.()) [failures, waitedMs] = [0, 0]
    waitedMs += holdMs
    const decision = decideRetry(end, failures, { repeatable: 'always', retries }, Math.random())
    if (decision.type !== 'again' || waitedMs > maxWaitMs) {
      if ('error' in outcome) throw outcome.error
      return outcome.value
    }
    failures += Number(decision.cause === 'failure')
    const delayMs = Math.max(decision.delayMs, holdMs)
    onEvent?.({ type: 'retry', request, attempt, delayMs, reason })
    if (delayMs > 0) await clock.sleep(delayMs, signal)
  }
}

/** How long a site asks to wait; 0 if it does not. */
export function askedWaitMs(answer: SiteAnswer): number {
  if (answer.status === 429) return refusalWait(askedMs(answer)).ms
  return answer.status === 503 ? unavailableWaitMs(askedMs(answer), 1) : 0
}

/** More redirects than any site needs: a longer chain is a circle. */
const MOST_REDIRECTS = 5

/**
 * Asks once for a file, or for a part of it, and follows redirects.
 *
 * @throws UnexpectedResponseError for redirects that go in circles, nowhere, or from https to plain http; TransportError
 */
async function requestFile(url: string, range: Headers, attempt: number, options: FileRequestOptions) {
  const { userAgent, signal, onEvent } = options
  const headers = {
    // A download counts bytes as they are stored.
    'accept-encoding': 'identity',
    ...askingCaches,
    'user-agent': userAgentHeader(userAgent),
    ...range,
  }
  let target = new URL(url)
  for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
    const { response } = await exchange(
      { method: 'GET', url: target.href, headers, ...(signal && { signal }) },
      {
        ...options,
        request: { method: 'GET', path: plainUrl(target) },
        attempt,
        report: (event) => onEvent?.(event),
        // Where a redirect leads, a query may hold a signature.
        redact: (text) => text.replace(/\?\S+/g, '?[redacted]'),
      },
    )
    const { location } = response.headers
    if (response.status < 301 || response.status > 308 || location === undefined) return response
    await discard(response)
    target = nextTarget(target, location)
  }
  throw new UnexpectedResponseError(`GET ${plainUrl(url)} was redirected more than ${MOST_REDIRECTS} times`)
}

function nextTarget(from: URL, location: string): URL {
  const to = URL.parse(location, from.href)
  const secure = to?.protocol === 'https:' || (to?.protocol === 'http:' && from.protocol === 'http:')
  if (to !== null && secure) {
    to.username = ''
    to.password = ''
    return to
  }
  const plain = location.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//')
  throw new UnexpectedResponseError(`GET ${plainUrl(from)} was redirected to ${plain}, where no file is fetched from`)
}

/** Drops an answer: an unread body would keep the connection open, and with it the process. */
export async function discard({ body }: TransportResponse): Promise<void> {
  try {
    for await (const _ of body) break
  } catch {
    // The rest is not needed.
  }
}

/** The file's size in bytes as the answer names it. */
export function announcedSize({ headers }: Pick<TransportResponse, 'headers'>): number | undefined {
  const length = headers['content-length']
  return length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined
}

/** A URL without its query, which might hold a signature. */
export function plainUrl(url: string | URL): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

/** What an answer is packed with although it was not asked for; undefined if its bytes are the file's own. */
export function foreignEncoding({ headers }: Pick<TransportResponse, 'headers'>): string | undefined {
  const encoding = headers['content-encoding']?.trim().toLowerCase()
  return encoding === 'identity' ? undefined : encoding || undefined
}

/** The error of a request for a file that got no answer. */
export function siteUnreachable(url: string, cause: TransportError): FileHostError {
  const path = plainUrl(url)
  return connectionError(cause, { request: { method: 'GET', path }, url: path, server: new URL(url).origin })
}

import type { Clock } from '../../clock.ts'
import { UnexpectedResponseError } from '../errors.ts'
import type { ClientEvent } from '../events.ts'
import { askingCaches, exchange, userAgentHeader } from '../exchange.ts'
import { errorByStatus } from '../response.ts'
import type { Transport, TransportResponse } from '../transports/transport.ts'
import { unpacked } from './unpacked.ts'

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

/** How much of a file is here already, and which version of it: an entity tag or a date, as the site named it. */
export interface ResumePoint {
  readonly bytes: number
  readonly validator?: string | undefined
}

/** More redirects than any site needs: a longer chain is a circle. */
const MOST_REDIRECTS = 5

type Headers = Readonly<Record<string, string>>

/** The headers that ask for the rest of a file, if it has not changed; none where nothing of it is here. */
export function restOf({ bytes, validator }: ResumePoint): Headers {
  return bytes > 0 && validator ? { range: `bytes=${bytes}-`, 'if-range': validator } : {}
}

/** Bytes of a file: the first and the last of them, counted from 0. */
export interface ByteSpan {
  readonly from: number
  readonly to: number
}

/**
 * Asks for a file on the site, or for a part of it, follows redirects, and unpacks a file that comes packed. Sends no key, because raw files may lie on
 * another host than the API.
 *
 * @param range headers that name the part; none for the whole
 * @throws UnexpectedResponseError for redirects that go in circles, nowhere, or from https to plain http; TransportError
 */
export async function requestFile(url: string, range: Headers, attempt: number, options: FileRequestOptions) {
  let target = new URL(url)
  for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
    const response = await sendOnce(target, range, attempt, options)
    const { location } = response.headers
    if (response.status < 301 || response.status > 308 || location === undefined) {
      return unpacked(response, plainUrl(url))
    }
    await discard(response)
    target = nextTarget(target, location)
  }
  throw new UnexpectedResponseError(`GET ${plainUrl(url)} was redirected more than ${MOST_REDIRECTS} times`)
}

async function sendOnce(url: URL, range: Headers, attempt: number, options: FileRequestOptions) {
  const { userAgent, signal, onEvent } = options
  const headers = {
    // A resumed download counts bytes as they are stored; a file that comes packed all the same is not resumed.
    'accept-encoding': 'identity',
    ...askingCaches,
    'user-agent': userAgentHeader(userAgent),
    ...range,
  }
  const { response } = await exchange(
    { method: 'GET', url: url.href, headers, ...(signal && { signal }) },
    {
      ...options,
      request: { method: 'GET', path: plainUrl(url) },
      attempt,
      report: (event) => onEvent?.(event),
      // Where a redirect leads, a query may hold a signature.
      redact: (text) => text.replace(/\?\S+/g, '?[redacted]'),
    },
  )
  return response
}

function nextTarget(from: URL, location: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined
  const secure = to?.protocol === 'https:' || (to?.protocol === 'http:' && from.protocol === 'http:')
  if (to !== undefined && secure) {
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

/** The error of an answer without the file. */
export async function fileError(url: string, response: TransportResponse, retryAfterMs: number | undefined) {
  const { status } = response
  await discard(response)
  const message = `GET ${plainUrl(url)} answered ${status}${status === 404 || status === 410 ? ': the file is not there' : ''}`
  const hint = status === 401 || status === 403 ? 'Its site refuses it to everyone; its page may say why' : undefined
  const details = { request: { method: 'GET', path: plainUrl(url) }, status, retryAfterMs, hint }
  // No file of the user was sent, so the answer cannot have judged one.
  if (status === 413 || status === 422) return new UnexpectedResponseError(message, details)
  // No key was sent: a 401 refuses the file to everyone.
  return errorByStatus(status === 401 ? 403 : status, message, details) ?? new UnexpectedResponseError(message, details)
}

/** A URL without its query, which might hold a signature. */
export function plainUrl(url: string | URL): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

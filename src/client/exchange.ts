import { version } from '../../package.json'
import { isTooDeep, isUnfinished, parseJson } from '../checks/json.ts'
import { type Clock, steadyMs } from '../clock.ts'
import type { LedgerOutage } from '../pacing/ledger.ts'
import type { PacingWait } from '../pacing/pacer.ts'
import { isFromCache, parseRateReport, parseRetryAfter, type RateReport } from '../pacing/rate-headers.ts'
import type { LedgerProblem } from '../pacing/shared/shared-ledger.ts'
import { rateHeaders } from '../protocol/rate-limits.ts'
import { type ParsedErrorBody, parseErrorBody } from '../protocol/resources.ts'
import { abortable, orAborted } from '../system/signals.ts'
import type { RequestInfo } from './errors.ts'
import {
  isEndedByClose,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from './transports/transport.ts'

type Headers = Readonly<Record<string, string>>

/** What happens on the wire, for display and logs; the key is redacted. */
export type ClientEvent =
  /** A request is about to be sent; `attempt` counts from 1. */
  | { readonly type: 'request'; readonly request: RequestInfo; readonly attempt: number; readonly headers: Headers }
  /** An answer's headers are in. */
  | {
      readonly type: 'response'
      readonly request: RequestInfo
      readonly attempt: number
      readonly status: number
      readonly headers: Headers
      readonly report: RateReport
      readonly durationMs: number
    }
  /** No answer came. */
  | { readonly type: 'failure'; readonly request: RequestInfo; readonly attempt: number; readonly message: string }
  /** The quota is used up: nothing is sent for `delayMs`. */
  | ({ readonly type: 'wait'; readonly request: RequestInfo } & PacingWait)
  /** The same request is sent again after `delayMs`, because of a failure or a 5xx. */
  | {
      readonly type: 'retry'
      readonly request: RequestInfo
      readonly attempt: number
      readonly delayMs: number
      readonly reason: string
    }
  /** The shared ledger cannot be used; sent once, because from then on this client counts on its own. */
  | ({ readonly type: 'ledger-problem' } & LedgerProblem)
  /** The ledger of several machines cannot be reached: requests wait for it. */
  | ({ readonly type: 'ledger-outage' } & LedgerOutage)
  /** It can be reached again. */
  | { readonly type: 'ledger-return' }

export interface ExchangeOptions {
  readonly transport: Transport
  readonly clock: Clock
  /** How events name the request. */
  readonly request: RequestInfo
  /** Counted from 1. */
  readonly attempt: number
  readonly report: (event: ClientEvent) => void
  /** Removes the key from headers in events. */
  readonly redact: (text: string) => string
}

/** Sends one request, and reports it and the headers of its answer. */
export async function exchange(sent: TransportRequest, options: ExchangeOptions) {
  const { transport, clock, request, attempt, report, redact } = options
  report({ type: 'request', request, attempt, headers: redactHeaders(sent.headers, redact) })
  const startedAt = steadyMs(clock)
  const { signal } = sent
  signal?.throwIfAborted()
  // An abort ends the exchange, and the reading of its answer, at once, even if the transport does not react.
  const answer = await orAborted(transport.send(sent), signal)
  const response = { ...answer, body: abortable(answer.body, signal) }
  const at = clock.now()
  const durationMs = steadyMs(clock) - startedAt
  const rates = parseRateReport(response.headers, at)
  const headers = redactHeaders(response.headers, redact)
  report({ type: 'response', request, attempt, status: response.status, headers, report: rates, durationMs })
  return { response, at, durationMs, rates }
}

/** Replaces the key in a text, as it is and percent-encoded. */
export function createRedactor(apiKey: string): (text: string) => string {
  const forms = [...new Set([apiKey, encodeURIComponent(apiKey)])].filter((form) => form !== '')
  return (text) => forms.reduce((redacted, form) => redacted.replaceAll(form, '[redacted]'), text)
}

function redactHeaders(headers: Headers, redact: (text: string) => string) {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)]))
}

/** Every request asks caches for what is there now: most answers prove something, and one rule is forgotten nowhere. */
export const askingCaches = { 'cache-control': 'no-cache' } as const

const productToken = `filehost/${version} node/${process.versions.node}`

/** The User-Agent header: the program that uses the library, then the library itself. */
export function userAgentHeader(program: string | undefined): string {
  return program === undefined ? productToken : `${program} ${productToken}`
}

/**
 * So much older than another answer a fresh one may look: a Date is rounded down to the second, and the clocks of two
 * machines that answer for the service may each be a second off. A cache that keeps answers for less changes nothing,
 * because absence is proven only 5 s after an upload.
 */
const SLACK_MS = 3_000

/**
 * Knows which answers of a service are older than the request for them, because a cache had kept them: by their age, and where
 * a cache does not tell that, by a Date before one that the service had sent already. No clock of this machine counts.
 */
export class Freshness {
  #newest = Number.NEGATIVE_INFINITY

  /** To be called when a request leaves. @returns whether its answer, with these headers in lower case, is an old one */
  begin(): (headers: Headers) => boolean {
    const known = this.#newest
    return (headers) => {
      const date = Date.parse(headers['date'] ?? '')
      if (isFromCache(headers) || date < known - SLACK_MS) return true
      if (date > this.#newest) this.#newest = date
      return false
    }
  }
}

/** How long an answer asks to wait; undefined if it does not say. */
export function askedMs({ headers }: Pick<TransportResponse, 'headers'>): number | undefined {
  return parseRetryAfter(headers[rateHeaders.retryAfter.toLowerCase()], headers['date'])
}

/** An answer that was read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The parsed body; undefined if it is not JSON or nested too deep. */
  readonly json: unknown
  /** The error that the body describes, with any status. */
  readonly error: ParsedErrorBody
  /** What the body has more of than any answer of the service: its text is then cut, or not parsed. */
  readonly excess: string | undefined
}

/** No answer of the service comes near this size. */
const LONGEST_BODY_MB = 32
const LONGEST_BODY_BYTES = LONGEST_BODY_MB * 1_048_576

/**
 * Reads an answer to its end. An error answer may be cut short: its status and headers say enough. So may one without a
 * length, once its JSON is whole: its brackets show that nothing is missing.
 */
export async function readAnswer({ status, headers, body }: TransportResponse): Promise<Answer> {
  const { bytes, length, broken } = await readBytes(body)
  const decoded = await decode(bytes, headers['content-encoding'])
  const isTooLong = length > LONGEST_BODY_BYTES || decoded === undefined
  const text = decoded ?? ''
  const parsed = isTooLong ? undefined : parseJson(text)
  const isDeep = parsed !== undefined && isTooDeep(text)
  const json = isDeep ? undefined : parsed
  const excess = isTooLong ? `more than ${LONGEST_BODY_MB} MB` : isDeep ? 'JSON that is nested too deep' : undefined
  const isWhole = isEndedByClose(headers) && typeof json === 'object' && json !== null
  if (broken && status < 400 && !isWhole) throw broken
  const answer = { status, headers, text, json, error: parseErrorBody(json), excess }
  // Nothing else shows that an answer that ends with the connection is cut: Node does not report a TLS connection that is
  // closed without close_notify.
  const isCut = json === undefined && excess === undefined && isJsonAnswer(answer) && isUnfinished(text)
  if (isSuccess(answer) && isCut && isEndedByClose(headers)) {
    throw new TransportError('interrupted', 'the answer ends in the middle')
  }
  return answer
}

/** Reads until a body is longer than any answer of the service, or breaks off. */
async function readBytes(body: TransportResponse['body']) {
  const chunks: Uint8Array[] = []
  let length = 0
  let broken: TransportError | undefined
  try {
    for await (const chunk of body) {
      length += chunk.length
      if (length > LONGEST_BODY_BYTES) break
      chunks.push(chunk)
    }
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
    broken = error
  }
  return { bytes: Buffer.concat(chunks), length, broken }
}

/** A proxy may compress although the client does not ask for it. @returns undefined for a body that unpacks too large */
async function decode(body: Buffer, encoding: string | undefined): Promise<string | undefined> {
  if (encoding === undefined || body.length === 0) return body.toString('utf8')
  const { brotliDecompressSync, unzipSync } = await import('node:zlib')
  const limits = { maxOutputLength: LONGEST_BODY_BYTES }
  try {
    return (encoding === 'br' ? brotliDecompressSync(body, limits) : unzipSync(body, limits)).toString('utf8')
  } catch (error) {
    return error instanceof RangeError ? undefined : body.toString('utf8')
  }
}

function isJsonAnswer({ headers }: Answer): boolean {
  return /[/+]json/i.test(headers['content-type'] ?? '')
}

/** Whether the body of a success begins as JSON and cannot be parsed: it may be the service's own, cut off or garbled. */
export function isGarbledSuccess(answer: Answer): boolean {
  const { json, text, excess } = answer
  if (excess !== undefined || !isSuccess(answer)) return false
  return json === undefined && text.trim() !== '' && (isJsonAnswer(answer) || /^\s*\{/.test(text))
}

export function isSuccess({ status }: Pick<Answer, 'status'>): boolean {
  return status >= 200 && status < 300
}

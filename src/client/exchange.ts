import { version } from '../../package.json'
import { type Clock, steadyMs } from '../clock.ts'
import { parseRateReport } from '../pacing/rate-headers.ts'
import { abortable, orAborted } from '../system/signals.ts'
import type { RequestInfo } from './errors.ts'
import type { ClientEvent } from './events.ts'
import type { Transport, TransportRequest, TransportResponse } from './transports/transport.ts'

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
  const response = await sendAbortably(transport, sent)
  const at = clock.now()
  const durationMs = steadyMs(clock) - startedAt
  const rates = parseRateReport(response.headers, at)
  const headers = redactHeaders(response.headers, redact)
  report({ type: 'response', request, attempt, status: response.status, headers, report: rates, durationMs })
  return { response, at, durationMs, rates }
}

/** An abort ends the exchange, and the reading of its answer, at once, even if the transport does not react. */
async function sendAbortably(transport: Transport, request: TransportRequest): Promise<TransportResponse> {
  const { signal } = request
  if (signal === undefined) return await transport.send(request)
  signal.throwIfAborted()
  const response = await orAborted(transport.send(request), signal)
  return { ...response, body: abortable(response.body, signal) }
}

/** Replaces the key in a text, as it is and percent-encoded. */
export function createRedactor(apiKey: string): (text: string) => string {
  const forms = [...new Set([apiKey, encodeURIComponent(apiKey)])].filter((form) => form !== '')
  return (text) => forms.reduce((redacted, form) => redacted.replaceAll(form, '[redacted]'), text)
}

function redactHeaders(headers: Readonly<Record<string, string>>, redact: (text: string) => string) {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)]))
}

const productToken = `filehost/${version} node/${process.versions.node}`

/** The User-Agent header: the program that uses the library, then the library itself. */
export function userAgentHeader(program: string | undefined): string {
  return program === undefined ? productToken : `${program} ${productToken}`
}

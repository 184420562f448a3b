import { isUtf8 } from 'node:buffer'
import { perWindow, type WindowName } from '../../src/protocol/rate-limits.ts'
import type { Exchange, KeptBody } from '../service/exchanges.ts'
import { hiddenValue, isSecretHeader, readLoggedHeaders } from '../service/exchanges.ts'
import { usedUnits, windowOf } from '../service/quota/quota.ts'
import { type LoggedRequest, loggedRequest, type RequestRecord } from '../storage/record-types.ts'
import type { RequestLog } from '../storage/request-log.ts'
import { type EtiquetteKind, etiquetteOf } from './etiquette-report.ts'
import { withoutKey, withoutSecretBytes, withoutSecrets } from './redaction.ts'

/** One request whole. Secrets are hidden everywhere. */
export interface RequestDetail extends LoggedRequest {
  /** Of the request, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** What the etiquette report says of it. */
  readonly findings: readonly RequestFinding[]
  /** Null for all but the newest 500 requests, and for those before a restart or a restore. */
  readonly exchange: ExchangeInfo | null
}

export interface RequestFinding {
  readonly kind: EtiquetteKind
  readonly advice: string
  /** ISO 8601, as in the report. */
  readonly due_at?: string
  readonly stored_at?: string
}

/** What was sent both ways. */
export type ExchangeInfo = ReturnType<typeof exchangeInfo>
export type ResponseInfo = NonNullable<ExchangeInfo['response']>
export type WindowChange = ReturnType<typeof windowsOf>[WindowName]
/** The beginning of a body, 64 KiB at most. */
export interface BodyInfo {
  /** Bytes of the whole body, as far as they are known. */
  readonly size: number
  /** Whether only its beginning is kept. */
  readonly is_cut: boolean
  /** Undefined if it is no text in UTF-8. */
  readonly text?: string
  /** Its bytes then. */
  readonly base64?: string
}

export function requestDetail(request: RequestRecord, log: RequestLog, exchange: Exchange | undefined): RequestDetail {
  return {
    ...loggedRequest.write(request),
    headers: headersOf(request),
    findings: etiquetteOf(request, log),
    exchange: exchange === undefined ? null : exchangeInfo(exchange),
  }
}

/** The log has them without secrets. */
export function headersOf({ headers }: RequestRecord): Readonly<Record<string, string>> {
  return Object.fromEntries([...readLoggedHeaders(headers)].filter(([name]) => name !== ''))
}

export function exchangeInfo(exchange: Exchange) {
  const { key, origin, url, httpVersion, received, reply, sent, verdict, fault, durationMs } = exchange
  const mark = url.indexOf('?')
  const headers = Object.entries(reply?.headers ?? {}).map(([name, value]) => [
    name,
    isSecretHeader(name) ? hiddenValue : withoutKey(value, key),
  ])
  const answered = reply && {
    /** As sent; the log has 499 where the client left first. */
    status: reply.status,
    headers: Object.fromEntries(headers) as Readonly<Record<string, string>>,
    body: bodyInfo(sent, key),
  }
  return {
    /** Scheme, host and port that the client addressed. */
    origin,
    /** Such as `1.1`; null in the same process. */
    http_version: httpVersion ?? null,
    /** As sent, without `?`. */
    query: mark === -1 ? '' : withoutSecrets(url.slice(mark + 1).replace(/#.*/s, ''), key),
    request_body: received?.size === 0 ? null : bodyInfo(received, key),
    /** Null if nothing answered. */
    response: answered ?? null,
    /** Of this machine's time, until the answer was made. */
    duration_ms: Math.round(durationMs * 100) / 100,
    /** Of the service's time: how much of it was a soft delay, and how much a fault. */
    soft_delay_ms: fault === undefined ? (verdict?.delayMs ?? 0) : 0,
    fault_delay_ms: fault !== undefined && 'ms' in fault ? (fault.ms ?? 0) : 0,
    /** Units used before and after; null if no quota was asked. */
    windows: verdict === undefined ? null : windowsOf(verdict),
  }
}

function windowsOf({ moment, charged }: NonNullable<Exchange['verdict']>) {
  return perWindow((name) => {
    const used = usedUnits(windowOf(name, moment))
    return { limit: moment.limits[name], before: used, after: used + charged }
  })
}

function bodyInfo(body: KeptBody | undefined, key: string | undefined): BodyInfo | null {
  if (body === undefined) return null
  const { bytes, kept, size } = body
  const isCut = kept < size
  const shown = withoutSecretBytes(bytes.subarray(0, kept), key, isCut)
  const text = isCut ? wholeLetters(shown) : shown
  const isText = isUtf8(text) && !text.includes(0)
  return { size, is_cut: isCut, ...(isText ? { text: text.toString() } : { base64: shown.toString('base64') }) }
}

/** The last letter of a text that was cut may have lost its end. */
function wholeLetters(bytes: Buffer): Buffer {
  let end = bytes.length
  while (end > 0 && bytes.length - end < 4 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1
  return (bytes[end - 1] ?? 0) >= 0xc0 ? bytes.subarray(0, end - 1) : bytes
}

import { STATUS_CODES } from 'node:http'
import { version } from '../../package.json'
import type { ExchangeLog } from '../service/exchanges.ts'
import type { RequestRecord } from '../storage/record-types.ts'
import { type BodyInfo, type ExchangeInfo, exchangeInfo, headersOf } from './request-detail.ts'

/** Where the emulator no longer knows what was sent, an entry has what the log has. @param requests oldest first */
export function harOf(requests: readonly RequestRecord[], exchanges: Pick<ExchangeLog, 'of'>) {
  const entries = requests.map((request) => entryOf(request, exchanges))
  return { log: { version: '1.2', creator: { name: 'filehost emulator', version }, pages: [], entries } } as const
}

/** An HTTP archive, version 1.2, the oldest entry first. */
export type Har = ReturnType<typeof harOf>
export type HarEntry = ReturnType<typeof entryOf>

function entryOf(request: RequestRecord, exchanges: Pick<ExchangeLog, 'of'>) {
  const kept = exchanges.of(request.number)
  const known = kept && exchangeInfo(kept)
  const wait = known?.duration_ms ?? 0
  return {
    startedDateTime: new Date(request.at).toISOString(),
    time: wait,
    request: requestOf(request, known),
    response: responseOf(request, known),
    cache: {},
    timings: { send: 0, wait, receive: 0 },
    ...(request.fault !== undefined && { comment: `fault ${request.fault}` }),
  }
}

/** A size of -1 is unknown. */
const unlisted = { cookies: [], headersSize: -1 } as const

function requestOf(request: RequestRecord, known: ExchangeInfo | undefined) {
  const { origin = 'http://localhost', query = '', request_body: body = null } = known ?? {}
  const headers = headersOf(request)
  const posted = body && { mimeType: headers['content-type'] ?? '', params: [], ...postedText(body) }
  return {
    ...unlisted,
    method: request.method,
    url: `${origin}${request.endpoint}${query === '' ? '' : `?${query}`}`,
    httpVersion: versionOf(known),
    headers: named(Object.entries(headers)),
    queryString: named(new URLSearchParams(query)),
    ...(posted !== null && { postData: posted }),
    bodySize: body?.size ?? (known === undefined ? -1 : 0),
  }
}

function responseOf({ status }: RequestRecord, known: ExchangeInfo | undefined) {
  const { headers = {}, body = null } = known?.response ?? {}
  return {
    ...unlisted,
    status,
    statusText: STATUS_CODES[status] ?? '',
    httpVersion: versionOf(known),
    headers: named(Object.entries(headers)),
    redirectURL: headers['Location'] ?? '',
    content: { size: body?.size ?? 0, mimeType: headers['Content-Type'] ?? '', ...contentOf(body) },
    bodySize: body?.size ?? (known === undefined ? -1 : 0),
  }
}

function versionOf(known: ExchangeInfo | undefined): string {
  return `HTTP/${known?.http_version ?? '1.1'}`
}

function named(pairs: Iterable<readonly [string, string]>) {
  return [...pairs].map(([name, value]) => ({ name, value }))
}

/** An archive has the bodies of requests as text: bytes that are none stand as one letter each. */
function postedText({ text, base64 = '', is_cut: isCut, size }: BodyInfo) {
  const comment = isCut ? { comment: `the beginning of ${size} bytes` } : {}
  return { text: text ?? Buffer.from(base64, 'base64').toString('latin1'), ...comment }
}

function contentOf(body: BodyInfo | null) {
  if (body?.text !== undefined) return { text: body.text }
  return body?.base64 === undefined ? {} : { text: body.base64, encoding: 'base64' as const }
}

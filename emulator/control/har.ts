import { STATUS_CODES } from 'node:http'
import { version } from '../../package.json'
import type { ExchangeLog } from '../service/exchanges.ts'
import type { RequestRecord } from '../storage/records.ts'
import { type BodyInfo, type ExchangeInfo, exchangeInfo, headersOf } from './request-detail.ts'

/** An HTTP archive, version 1.2. */
export interface Har {
  readonly log: {
    readonly version: '1.2'
    readonly creator: { readonly name: string; readonly version: string }
    readonly pages: readonly never[]
    /** Oldest first. */
    readonly entries: readonly HarEntry[]
  }
}

interface NamedValue {
  readonly name: string
  readonly value: string
}

/** What a request and an answer have in common; a size of -1 is unknown. */
interface HarMessage {
  readonly httpVersion: string
  readonly cookies: readonly never[]
  readonly headers: readonly NamedValue[]
  readonly headersSize: -1
  readonly bodySize: number
}

export interface HarEntry {
  readonly startedDateTime: string
  /** In milliseconds. */
  readonly time: number
  readonly request: HarMessage & {
    readonly method: string
    readonly url: string
    readonly queryString: readonly NamedValue[]
    readonly postData?: {
      readonly mimeType: string
      readonly params: readonly never[]
      readonly text: string
      readonly comment?: string
    }
  }
  readonly response: HarMessage & {
    readonly status: number
    readonly statusText: string
    readonly redirectURL: string
    readonly content: {
      readonly size: number
      readonly mimeType: string
      readonly text?: string
      readonly encoding?: 'base64'
    }
  }
  readonly cache: Readonly<Record<string, never>>
  readonly timings: { readonly send: 0; readonly wait: number; readonly receive: 0 }
  readonly serverIPAddress?: string
  readonly comment?: string
}

/** Where the emulator no longer knows what was sent, an entry has what the log has. @param requests oldest first */
export function harOf(requests: readonly RequestRecord[], exchanges: Pick<ExchangeLog, 'of'>): Har {
  const entries = requests.map((request) => entryOf(request, exchanges))
  return { log: { version: '1.2', creator: { name: 'filehost emulator', version }, pages: [], entries } }
}

function entryOf(request: RequestRecord, exchanges: Pick<ExchangeLog, 'of'>): HarEntry {
  const kept = exchanges.of(request)
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

const unlisted = { cookies: [], headersSize: -1 } as const

function requestOf(request: RequestRecord, known: ExchangeInfo | undefined): HarEntry['request'] {
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

function responseOf({ status }: RequestRecord, known: ExchangeInfo | undefined): HarEntry['response'] {
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

function named(pairs: Iterable<readonly [string, string]>): readonly NamedValue[] {
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

import { STATUS_CODES } from 'node:http'
import { isUint8Array } from 'node:util/types'
import type { HttpReply } from '../../http-types.ts'
import type { Settings } from '../../settings/settings.ts'
import { byteLengthOf, isAscii } from '../../values/byte-length.ts'

/** How a reply's JSON is written, and its further headers. */
export interface JsonForm {
  readonly style: Settings['json_style']
  readonly headers?: HttpReply['headers']
}

/** JSON as the service writes it: one line, slashes escaped, ASCII only. */
export function jsonText(value: unknown, style: JsonForm['style']): string {
  const json = JSON.stringify(value)
  if (style !== 'laravel') return json
  return asciiOnly(json.includes('/') ? json.replace(/\//g, '\\/') : json)
}

export function jsonReply(status: number, value: unknown, { style, headers }: JsonForm): HttpReply {
  return writtenReply(status, jsonText(value, style), headers)
}

/** @param body JSON that {@link jsonText} has written */
export function writtenReply(status: number, body: string, headers?: HttpReply['headers']): HttpReply {
  return { status, headers: headers === undefined ? jsonHeaders : { ...jsonHeaders, ...headers }, body }
}

/** JSON as the framework writes an error (spec 7.2): indented by four, slashes plain, ASCII only. */
export function exceptionJson(status: number, message: string, { style, headers }: JsonForm): HttpReply {
  const body = style === 'laravel' ? asciiOnly(JSON.stringify({ message }, null, 4)) : JSON.stringify({ message })
  return { status, headers: { ...jsonHeaders, ...headers }, body }
}

const jsonHeaders = { 'Content-Type': 'application/json' }

function asciiOnly(json: string): string {
  if (isAscii(json)) return json
  return json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Two of them are newer than Node's, as the framework's current release has them (RFC 9110). */
const phrases: Readonly<Record<number, string | undefined>> = {
  ...STATUS_CODES,
  413: 'Content Too Large',
  422: 'Unprocessable Content',
}

/** The words beside a status; empty if it has none. */
export function reasonPhrase(status: number): string {
  return phrases[status] ?? ''
}

/** Whether a reply of this status has no body: a `Response` cannot be created with one. */
export function hasNoBody(status: number): boolean {
  return status === 204 || status === 205 || status === 304
}

/** What `finishReply` adds. */
export interface Finish {
  readonly isHead: boolean
  /** Epoch milliseconds. */
  readonly now: number
  /** Further headers: cross-origin access and quota. */
  readonly access: HttpReply['headers'] | undefined
  readonly rate: HttpReply['headers'] | undefined
}

/** The reply as sent: with the headers every reply has, and without a body for HEAD. */
export function finishReply({ status, headers, body }: HttpReply, { isHead, now, access, rate }: Finish): HttpReply {
  const bytes = typeof body === 'string' ? byteLengthOf(body) : isUint8Array(body) ? body.length : undefined
  // Assigned one by one: a literal with something behind a spread takes ten times as long, on every request.
  const all: Record<string, string> = { 'Cache-Control': 'no-cache, private' }
  for (const name in headers) all[name] = headers[name] as string
  all['Date'] = httpDate(now)
  for (const name in access) all[name] = access[name] as string
  for (const name in rate) all[name] = rate[name] as string
  if (bytes !== undefined) all['Content-Length'] = String(bytes)
  return { status, headers: all, body: isHead ? null : body }
}

let lastSecond = Number.NaN
let lastText = ''

/** An HTTP date; every reply has one, so it is formatted once per second. */
export function httpDate(epochMs: number): string {
  const second = Math.floor(epochMs / 1_000)
  if (second !== lastSecond) {
    lastSecond = second
    lastText = new Date(second * 1_000).toUTCString()
  }
  return lastText
}

import { STATUS_CODES } from 'node:http'
import { isUint8Array } from 'node:util/types'
import type { HttpReply } from '../../http-types.ts'
import type { Settings } from '../../settings/settings.ts'

/** How a reply's JSON is written, and its further headers. */
export interface JsonForm {
  readonly style: Settings['json_style']
  readonly headers?: HttpReply['headers']
}

/** JSON as the service writes it: one line, slashes escaped, ASCII only. */
export function jsonReply(status: number, value: unknown, { style, headers }: JsonForm): HttpReply {
  const json = JSON.stringify(value)
  const body = style === 'laravel' ? asciiOnly(json.replace(/\//g, '\\/')) : json
  return { status, headers: headers === undefined ? jsonHeaders : { ...jsonHeaders, ...headers }, body }
}

/** JSON as the framework writes an error (spec 7.2): indented by four, slashes plain, ASCII only. */
export function exceptionJson(status: number, message: string, { style, headers }: JsonForm): HttpReply {
  const body = style === 'laravel' ? asciiOnly(JSON.stringify({ message }, null, 4)) : JSON.stringify({ message })
  return { status, headers: { ...jsonHeaders, ...headers }, body }
}

const jsonHeaders = { 'Content-Type': 'application/json' }

function asciiOnly(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The names of the framework's current release (RFC 9110); Node's are older. */
const newerNames: Readonly<Record<number, string>> = { 413: 'Content Too Large', 422: 'Unprocessable Content' }

/** The words beside a status; empty if it has none. */
export function reasonPhrase(status: number): string {
  return newerNames[status] ?? STATUS_CODES[status] ?? ''
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
  const isWhole = typeof body === 'string' || isUint8Array(body)
  const length = isWhole ? { 'Content-Length': String(Buffer.byteLength(body)) } : {}
  // One spread: spreading an already spread object takes ten times as long, on every request.
  const all = { 'Cache-Control': 'no-cache, private', ...headers, Date: httpDate(now), ...access, ...rate, ...length }
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

import { isUint8Array } from 'node:util/types'
import { acceptedMediaType } from '../../src/protocol/media-types.ts'
import { rateHeaders } from '../../src/protocol/rate-limits.ts'
import type { Stats, Upload } from '../../src/protocol/resources.ts'
import type { HttpRequest, HttpResponse } from '../http.ts'
import { upperCased } from '../php/form.ts'
import type { QuotaVerdict } from '../service/quota/quota.ts'
import type { Settings } from '../settings/settings.ts'
import type { UploadRecord } from '../storage/record-types.ts'
import { nextWholeSecond, offsetDateTime } from '../values/offset-date-time.ts'

type Headers = HttpResponse['headers']

/** JSON as the service writes it: one line, slashes escaped, ASCII only. */
export function jsonText(value: unknown, style: Settings['json_style']): string {
  const json = JSON.stringify(value)
  return style === 'laravel' ? asciiOnly(json.replaceAll('/', '\\/')) : json
}

export function asciiOnly(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const jsonHeaders = { 'Content-Type': 'application/json' }

/** @param body JSON as {@link jsonText} writes it */
export function jsonResponse(status: number, body: string, headers?: Headers): HttpResponse {
  return { status, headers: headers === undefined ? jsonHeaders : { ...jsonHeaders, ...headers }, body }
}

/** The response as sent: with the headers that every response has and `more`, and without a body for HEAD. */
export function finished(
  response: HttpResponse,
  request: HttpRequest,
  now: number,
  ...more: readonly (Headers | undefined)[]
): HttpResponse {
  const { status, headers, body } = response
  // Assigned one by one: a literal with something behind a spread takes ten times as long, on every request.
  const all: Record<string, string> = { 'Cache-Control': 'no-cache, private' }
  for (const name in headers) all[name] = headers[name] as string
  all['Date'] = httpDate(now)
  for (const some of more) for (const name in some) all[name] = some[name] as string
  if (typeof body === 'string') all['Content-Length'] = String(Buffer.byteLength(body))
  else if (isUint8Array(body)) all['Content-Length'] = String(body.length)
  return { status, headers: all, body: request.method === 'HEAD' ? null : body }
}

let lastSecond = Number.NaN
let lastText = ''

/** An HTTP date; every response has one, so it is formatted once per second. */
export function httpDate(epochMs: number): string {
  const second = Math.floor(epochMs / 1_000)
  if (second !== lastSecond) {
    lastSecond = second
    lastText = new Date(second * 1_000).toUTCString()
  }
  return lastText
}

/** What the quota headers report. */
export interface ReportedQuota extends Pick<QuotaVerdict, 'reportedWindow' | 'refusal' | 'charged'> {}

/** Whether a response carries quota headers (spec 8.1). */
export function hasRateHeaders({ rate_headers }: Settings, status: number, passedLimiter: boolean): boolean {
  if (rate_headers === 'all') return true
  return passedLimiter && (rate_headers === 'limited' || status < 300)
}

/**
 * The quota headers (spec 8.1): a window's limit, remaining units and reset, and the request's cost. A refused request
 * that cost nothing has no cost header unless every response has one.
 * @param now epoch milliseconds
 */
export function quotaHeaders(report: ReportedQuota, settings: Settings, now: number): Headers {
  const { reportedWindow, refusal, charged } = report
  const headers: Record<string, string> = {}
  if (reportedWindow !== undefined) {
    headers[rateHeaders.limit] = String(reportedWindow.limit)
    headers[rateHeaders.remaining] = String(reportedWindow.remaining)
    headers[rateHeaders.reset] = String(resetValue(reportedWindow.resetsAt, settings.reset_format, now))
  }
  if (refusal === undefined || charged > 0 || settings.rate_headers === 'all') {
    headers[rateHeaders.cost] = String(charged)
  }
  return headers
}

function resetValue(resetsAt: number, format: Settings['reset_format'], now: number): number {
  if (format === 'epoch_ms') return Math.ceil(resetsAt)
  if (format === 'epoch_seconds') return nextWholeSecond(resetsAt) / 1_000
  // The upload may have taken longer than the window.
  return Math.max(nextWholeSecond(resetsAt - now) / 1_000, 0)
}

const anyPage = { 'Access-Control-Allow-Origin': '*' }

/** The headers by which a browser lets the scripts of other sites read a response: it hides all others from them. */
export const pageAccess: Readonly<Record<Settings['cors'], Headers>> = {
  open: anyPage,
  expose: { ...anyPage, 'Access-Control-Expose-Headers': Object.values(rateHeaders).join(', ') },
  off: {},
}

/**
 * Answers OPTIONS without a key: a browser's preflight for any path, otherwise the allowed methods of a known path.
 * @param allowed the methods of the path; undefined if it is unknown
 */
export function optionsResponse(
  { headers }: HttpRequest,
  allowed: readonly string[] | undefined,
  cors: Settings['cors'],
): HttpResponse | undefined {
  const asked = headers['access-control-request-method']
  if (asked !== undefined && headers['origin'] !== undefined && cors !== 'off') return preflightResponse(headers, asked)
  if (allowed === undefined) return undefined
  const type = 'text/html; charset=utf-8'
  const vary = 'Access-Control-Request-Method'
  return { status: 200, headers: { Allow: allowed.join(','), 'Content-Type': type, Vary: vary }, body: '' }
}

function preflightResponse(headers: HttpRequest['headers'], method: string): HttpResponse {
  const asked = headers['access-control-request-headers']
  // Chromium asks this before a page of a public address may call an address of this machine.
  const isLocal = headers['access-control-request-private-network'] === 'true'
  return {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': upperCased(method),
      ...(asked === undefined ? {} : { 'Access-Control-Allow-Headers': asked }),
      ...(isLocal ? { 'Access-Control-Allow-Private-Network': 'true' } : {}),
      'Access-Control-Max-Age': '0',
      Vary: 'Access-Control-Request-Method, Access-Control-Request-Headers',
    },
    body: null,
  }
}

/** What an upload's JSON depends on besides the upload. */
export interface PresentationContext {
  /** Without a trailing slash. */
  readonly siteUrl: string
  readonly settings: Settings
}

/** The upload object, its fields in the order of the spec (spec 2.1). */
export function presentUpload(upload: UploadRecord, { siteUrl, settings }: PresentationContext): Upload {
  const url = `${siteUrl}/i/${upload.slug}`
  const extension = acceptedMediaType(upload.mimeType)?.extension
  const createdAt = offsetDateTime(upload.createdAt, settings.timezone, settings.created_at_format)
  return {
    slug: upload.slug,
    title: upload.title,
    url,
    direct_url: extension === undefined ? url : `${url}.${extension}`,
    thumb_url: upload.thumbnail.state === 'ready' ? `${siteUrl}/t/${upload.slug}` : null,
    mime_type: upload.mimeType,
    size: upload.sizeBytes,
    views: upload.views,
    likes: upload.likes,
    created_at: createdAt,
    ...(settings.extra_fields ? { id: upload.id, updated_at: createdAt, deleted_at: null } : undefined),
  }
}

const written = new WeakMap<UploadRecord, PresentationContext & { readonly json: string }>()

/** An upload as JSON; one that has not changed, and is asked for again, is not written again. */
export function uploadJson(upload: UploadRecord, { siteUrl, settings }: PresentationContext): string {
  const known = written.get(upload)
  if (known?.siteUrl === siteUrl && known.settings === settings) return known.json
  const json = jsonText(presentUpload(upload, { siteUrl, settings }), settings.json_style)
  written.set(upload, { siteUrl, settings, json })
  return json
}

/** The statistics object; a database's sum may arrive as text (spec 2.3). */
export function presentStats(stats: Stats, { total_views_type, extra_fields }: Settings): object {
  if (total_views_type === 'integer' && !extra_fields) return stats
  const views = total_views_type === 'string' ? String(stats.total_views) : stats.total_views
  return { ...stats, total_views: views, ...(extra_fields ? { plan: 'free' } : undefined) }
}

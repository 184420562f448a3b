import { isUint8Array } from 'node:util/types'
import { acceptedMediaType, mediaTypes } from '../../src/protocol/media-types.ts'
import { rateHeaders, refusalMessages } from '../../src/protocol/rate-limits.ts'
import type { Stats, Upload } from '../../src/protocol/resources.ts'
import { serviceMessages } from '../../src/protocol/resources.ts'
import { ConnectionResetError, type HttpRequest, type HttpResponse, reasonPhrases } from '../http.ts'
import { upperCased } from '../php/form.ts'
import type { QuotaVerdict } from '../service/quota/quota.ts'
import type { FileProblem, Refusal } from '../service/refusal.ts'
import type { Settings } from '../settings/settings.ts'
import type { UploadRecord } from '../storage/record-types.ts'
import { offsetDateTime } from '../values/offset-date-time.ts'
import { withoutEndSlashes } from './target.ts'

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

export function httpDate(epochMs: number): string {
  return new Date(epochMs).toUTCString()
}

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
export function quotaHeaders(
  { reportedWindow, refusal, charged }: Pick<QuotaVerdict, 'reportedWindow' | 'refusal' | 'charged'>,
  settings: Settings,
  now: number,
): Headers {
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
  if (format === 'epoch_seconds') return Math.ceil(resetsAt / 1_000)
  // The upload may have taken longer than the window.
  return Math.max(Math.ceil((resetsAt - now) / 1_000), 0)
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

/** The statistics object; a database's sum may arrive as text (spec 2.3). */
export function presentStats(stats: Stats, { total_views_type, extra_fields }: Settings): object {
  if (total_views_type === 'integer' && !extra_fields) return stats
  const views = total_views_type === 'string' ? String(stats.total_views) : stats.total_views
  return { ...stats, total_views: views, ...(extra_fields ? { plan: 'free' } : undefined) }
}

/** Every refusal that is answered: the service's, and those of HTTP. */
export type WireRefusal =
  | Refusal
  /** The decoded path is not valid UTF-8; the Host is neither a name nor an address; the method override is no method. */
  | { readonly kind: 'malformed-path' | 'bad-host' | 'bad-method' }
  | { readonly kind: 'route-not-found'; readonly path: string }
  | {
      readonly kind: 'method-not-allowed'
      readonly method: string
      readonly path: string
      readonly allowed: readonly string[]
    }
  /** The page number is invalid; `message` says why. */
  | { readonly kind: 'invalid-page'; readonly message: string }
  /** `body-too-large`: larger than any upload, and not parsed. */
  | { readonly kind: 'page-not-found' | 'body-too-large' | 'server-error' }

/** What the answer to a refusal depends on besides it. */
export interface RefusalContext {
  readonly settings: Settings
  readonly request: HttpRequest
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * The only place that turns refusals into statuses, shapes and messages (spec 7).
 * @throws ConnectionResetError if the settings demand a reset instead of a response
 */
export function presentRefusal(refusal: WireRefusal, context: RefusalContext): HttpResponse {
  const { settings } = context
  const exception = (status: number, message: string, headers?: Headers) =>
    exceptionResponse(status, message, context, headers)
  const error = (status: number, text: string, headers?: Headers) =>
    jsonResponse(status, jsonText({ error: text }, settings.json_style), headers)
  switch (refusal.kind) {
    case 'malformed-path':
      return exception(400, 'Malformed URL.')
    case 'bad-host':
      return exception(404, 'Bad hostname provided.')
    case 'bad-method':
      return exception(400, 'Bad request.')
    case 'invalid-key':
      return error(401, serviceMessages.invalidKey)
    case 'suspended':
      return error(403, refusal.reason ?? serviceMessages.suspended)
    case 'address-not-allowed':
      return error(403, 'IP address not allowed.')
    case 'route-not-found':
      return exception(404, `The route ${displayPath(refusal.path)} could not be found.`)
    case 'upload-not-found':
      return exception(404, notFoundMessage(settings.not_found_message, refusal.slug))
    case 'page-not-found':
      return exception(404, '')
    case 'method-not-allowed':
      return exception(405, methodMessage(refusal), { Allow: refusal.allowed.join(', ') })
    case 'body-too-large':
      return tooLarge(context)
    case 'invalid-page':
      return validationResponse('page', [refusal.message], context)
    case 'invalid-file':
      if (refusal.oversized && settings.oversize !== '422') return tooLarge(context)
      return validationResponse(
        'file',
        refusal.problems.map((problem) => fileMessage(problem, settings)),
        context,
      )
    case 'quota-exceeded':
      return error(429, refusalMessages[refusal.window], quotaRetryAfter(refusal.retryAt, context))
    case 'server-error':
      return exception(500, 'Server Error')
    case 'api-disabled': {
      const headers = unavailableRetryAfter(context)
      if (settings.unavailable_body === 'error') return error(503, serviceMessages.apiDisabled, headers)
      if (settings.unavailable_body === 'html') return webServerResponse(503, headers)
      return exception(503, 'Service Unavailable', headers)
    }
  }
}

function tooLarge(context: RefusalContext): HttpResponse {
  const { oversize } = context.settings
  if (oversize === 'reset') throw new ConnectionResetError('The connection was broken because the file is too large')
  if (oversize === '413_html') return webServerResponse(413)
  return exceptionResponse(413, 'The POST data is too large.', context)
}

const notFound = 'No query results for model [App\\Models\\Upload]'

function notFoundMessage(style: Settings['not_found_message'], slug: string): string {
  return { model: `${notFound}.`, model_with_key: `${notFound} ${slug}`, generic: 'Not found.', empty: '' }[style]
}

function methodMessage({ method, path, allowed }: Extract<WireRefusal, { kind: 'method-not-allowed' }>): string {
  const route = displayPath(path)
  return `The ${method} method is not supported for route ${route}. Supported methods: ${allowed.join(', ')}.`
}

/** The framework names routes without slashes around them. */
function displayPath(path: string): string {
  return withoutEndSlashes(path).replace(/^\/+/, '') || '/'
}

/** `jpeg` follows `jpg`; otherwise the spec's order (spec 4.1). */
const extensions = mediaTypes.flatMap(({ extension }) => (extension === 'jpg' ? ['jpg', 'jpeg'] : [extension]))
const acceptedTypes: Readonly<Record<Settings['wrong_type_message'], readonly string[]>> = {
  mimes: extensions,
  mimetypes: mediaTypes.map(({ mimeType }) => mimeType),
}

/** What the API says about a file that breaks a rule. */
export function fileMessage(problem: FileProblem, settings: Pick<Settings, 'wrong_type_message'>): string {
  switch (problem.kind) {
    case 'missing':
      return serviceMessages.fileRequired
    case 'not-a-file':
      return 'The file field must be a file.'
    case 'incomplete':
      return 'The file failed to upload.'
    case 'wrong-type':
      return `The file field must be a file of type: ${acceptedTypes[settings.wrong_type_message].join(', ')}.`
    case 'too-large':
      return `The file field must not be greater than ${problem.maxBytes / 1_024} ${problem.counts}.`
  }
}

/** Retry-After of a quota refusal (spec 8.4), rounded up. */
function quotaRetryAfter(retryAt: number, { settings, now }: RefusalContext): Headers {
  switch (settings.retry_after) {
    case 'seconds':
      return { [rateHeaders.retryAfter]: String(Math.max(Math.ceil((retryAt - now) / 1_000), 1)) }
    case 'http_date':
      return { [rateHeaders.retryAfter]: httpDate(Math.ceil(retryAt / 1_000) * 1_000) }
    case 'zero':
      return { [rateHeaders.retryAfter]: '0' }
    case 'none':
      return {}
  }
}

/** The Retry-After date of a disabled API, which has no known end, in milliseconds from now. */
const minuteMs = 60_000

/** Retry-After while the API is disabled (spec 8.4). */
function unavailableRetryAfter({ settings, now }: RefusalContext): Headers {
  const setting = settings.unavailable_retry_after
  if (setting === 'none') return {}
  return { [rateHeaders.retryAfter]: setting === 'http_date' ? httpDate(now + minuteMs) : String(setting) }
}

/** A refusal of the framework in its shape (spec 7.2), or as a page for clients that do not accept JSON. */
export function exceptionResponse(
  status: number,
  message: string,
  context: RefusalContext,
  headers?: Headers,
): HttpResponse {
  if (!getsJson(context)) return htmlResponse(status, reasonPhrases[status] ?? '', headers)
  // Indented by four, slashes plain, ASCII only.
  const isPlain = context.settings.json_style === 'plain'
  const body = isPlain ? JSON.stringify({ message }) : asciiOnly(JSON.stringify({ message }, null, 4))
  return jsonResponse(status, body, headers)
}

/** A failed validation (spec 7.2); a client that does not accept JSON is redirected back to its form. */
function validationResponse(field: string, messages: readonly string[], context: RefusalContext): HttpResponse {
  const location = context.request.headers['referer'] ?? context.request.origin
  if (!getsJson(context)) return htmlResponse(302, `Redirecting to ${location}`, { Location: location })
  const [first = '', ...others] = messages
  const more = others.length === 0 ? '' : ` (and ${others.length} more ${others.length === 1 ? 'error' : 'errors'})`
  const body = { message: `${first}${more}`, errors: { [field]: messages } }
  return jsonResponse(422, jsonText(body, context.settings.json_style))
}

/** A page of the web server in front of the service. */
export function webServerResponse(status: number, headers?: Headers): HttpResponse {
  return htmlResponse(status, `${status} ${reasonPhrases[status] ?? ''}`.trim(), headers)
}

function htmlResponse(status: number, title: string, headers: Headers = {}): HttpResponse {
  const text = title.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)
  const body = `<!DOCTYPE html>\n<html lang="en"><head><title>${text}</title></head><body><h1>${text}</h1></body></html>\n`
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers }, body }
}

/** The framework looks only at the preferred type; a script without a preference counts as accepting JSON. */
function getsJson({ settings, request: { headers } }: RefusalContext): boolean {
  if (settings.errors_as_json === 'always') return true
  const preferred = preferredType(headers['accept'] ?? '')
  if (/[/+]json/.test(preferred)) return true
  // A script that loads a page fragment (PJAX) wants HTML; PHP treats these two values as false.
  const isPjax = !['', '0'].includes(headers['x-pjax'] ?? '')
  return headers['x-requested-with'] === 'XMLHttpRequest' && !isPjax && ['', '*/*', '*'].includes(preferred)
}

/** The first of several types with equal quality. */
function preferredType(accept: string): string {
  let preferred = { type: '', quality: -1 }
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1) || 0
    if (type !== '' && quality > preferred.quality) preferred = { type, quality }
  }
  return preferred.type
}

import { serviceMessages } from '../../src/protocol/error-bodies.ts'
import { mediaTypes } from '../../src/protocol/media-types.ts'
import { rateHeaders, refusalMessages } from '../../src/protocol/rate-limits.ts'
import { ConnectionResetError, type HttpRequest, type HttpResponse, reasonPhrases, unrouted } from '../http.ts'
import type { FileProblem } from '../service/file-rules.ts'
import type { Refusal } from '../service/refusal.ts'
import type { Settings } from '../settings/settings.ts'
import { nextWholeSecond } from '../values/offset-date-time.ts'
import { asciiOnly, httpDate, jsonResponse, jsonText } from './response.ts'
import { withoutEndSlashes } from './target.ts'

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

type Headers = HttpResponse['headers']

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
      return exception(404, `The route ${displayPath(refusal.path)} could not be found.`, unrouted)
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
      return { [rateHeaders.retryAfter]: String(Math.max(nextWholeSecond(retryAt - now) / 1_000, 1)) }
    case 'http_date':
      return { [rateHeaders.retryAfter]: httpDate(nextWholeSecond(retryAt)) }
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

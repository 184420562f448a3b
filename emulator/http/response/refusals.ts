import { serviceMessages } from '../../../src/protocol/error-bodies.ts'
import { mediaTypes } from '../../../src/protocol/media-types.ts'
import { refusalMessages } from '../../../src/protocol/rate-limits.ts'
import { type HttpReply, unrouted } from '../../http-types.ts'
import type { FileProblem } from '../../service/file-rules.ts'
import type { Refusal } from '../../service/refusal.ts'
import type { Settings } from '../../settings/settings.ts'
import { withoutEndSlashes } from '../request/addresses.ts'
import { ConnectionResetError } from '../request/request-body.ts'
import { type ErrorContext, exceptionReply, validationReply, webServerReply } from './framework-errors.ts'
import { quotaRetryAfter, unavailableRetryAfter } from './rate-headers.ts'
import { jsonReply } from './reply.ts'

/** Every error reply: the service's refusals and those of HTTP. */
export type WireRefusal =
  | Refusal
  /** The decoded path is not valid UTF-8. */
  | { readonly kind: 'malformed-path' }
  /** The Host header is neither a name nor an address. */
  | { readonly kind: 'bad-host' }
  /** The method override is not a method's name. */
  | { readonly kind: 'bad-method' }
  | { readonly kind: 'route-not-found'; readonly path: string }
  | {
      readonly kind: 'method-not-allowed'
      readonly method: string
      readonly path: string
      readonly allowed: readonly string[]
    }
  /** The page number is invalid; `message` says why. */
  | { readonly kind: 'invalid-page'; readonly message: string }
  | { readonly kind: 'page-not-found' }
  /** The body is too large for any upload and is not parsed. */
  | { readonly kind: 'body-too-large' }
  | { readonly kind: 'server-error' }

/**
 * The only place that turns refusals into statuses, shapes and messages (spec 7).
 * @throws ConnectionResetError if the settings demand a reset instead of a reply
 */
export function presentRefusal(refusal: WireRefusal, context: ErrorContext): HttpReply {
  const { settings } = context
  const exception = (status: number, message: string, headers?: HttpReply['headers']) =>
    exceptionReply({ status, message, ...(headers === undefined ? {} : { headers }) }, context)
  const error = (status: number, text: string, headers: HttpReply['headers'] = {}) =>
    jsonReply(status, { error: text }, { style: settings.json_style, headers })

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
      return validationReply('page', [refusal.message], context)
    case 'invalid-file':
      if (refusal.oversized && settings.oversize !== '422') return tooLarge(context)
      return validationReply(
        'file',
        refusal.problems.map((problem) => fileMessage(problem, settings)),
        context,
      )
    case 'quota-exceeded':
      return error(429, refusalMessages[refusal.window], quotaRetryAfter(refusal.retryAt, context))
    case 'server-error':
      return exception(500, 'Server Error')
    case 'api-disabled':
      return unavailable(context)
  }
}

function tooLarge(context: ErrorContext): HttpReply {
  switch (context.settings.oversize) {
    case 'reset':
      throw new ConnectionResetError('The connection was broken because the file is too large')
    case '413_html':
      return webServerReply(413)
    case '413':
    case '422':
      return exceptionReply({ status: 413, message: 'The POST data is too large.' }, context)
  }
}

function unavailable(context: ErrorContext): HttpReply {
  const { unavailable_body, json_style } = context.settings
  const headers = unavailableRetryAfter(context)
  switch (unavailable_body) {
    case 'error':
      return jsonReply(503, { error: serviceMessages.apiDisabled }, { style: json_style, headers })
    case 'message':
      return exceptionReply({ status: 503, message: 'Service Unavailable', headers }, context)
    case 'html':
      return webServerReply(503, headers)
  }
}

function notFoundMessage(style: Settings['not_found_message'], slug: string): string {
  const model = 'No query results for model [App\\Models\\Upload]'
  switch (style) {
    case 'model':
      return `${model}.`
    case 'model_with_key':
      return `${model} ${slug}`
    case 'generic':
      return 'Not found.'
    case 'empty':
      return ''
  }
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

const wrongType: Readonly<Record<Settings['wrong_type_message'], string>> = {
  mimes: wrongTypeMessage(extensions),
  mimetypes: wrongTypeMessage(mediaTypes.map(({ mimeType }) => mimeType)),
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
      return wrongType[settings.wrong_type_message]
    case 'too-large':
      return `The file field must not be greater than ${problem.maxBytes / 1_024} ${problem.counts}.`
  }
}

function wrongTypeMessage(types: readonly string[]): string {
  return `The file field must be a file of type: ${types.join(', ')}.`
}

import { endpoints, keyPage } from '../protocol/endpoints.ts'
import { DEEPEST_JSON } from '../protocol/json-depth.ts'
import { refusingWindow, type WindowName } from '../protocol/rate-limits.ts'
import { ParseError } from '../protocol/resources.ts'
import {
  AccessDeniedError,
  AuthenticationError,
  type ErrorDetails,
  type FileHostError,
  NoProofError,
  NotFoundError,
  RateLimitError,
  type RequestInfo,
  UnavailableError,
  UnexpectedResponseError,
  ValidationError,
} from './errors.ts'
import { type Answer, LONGEST_BODY_MB } from './exchange.ts'

/** Characters of a foreign answer that an error shows. */
const EXCERPT_LENGTH = 200

/** Where a request went, for messages. */
export interface AnswerContext {
  readonly request: RequestInfo
  readonly baseUrl: string
  /** Removes the key from a text. */
  readonly redact: (text: string) => string
}

/**
 * Reads a success with one of the protocol's parsers.
 * @throws UnexpectedResponseError that names the field that differs from the spec
 */
export function parseAnswer<T>(answer: Answer, parse: (value: unknown) => T, context: AnswerContext): T {
  if (answer.json === undefined) throw notTheService(answer, context)
  try {
    return parse(answer.json)
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    throw unexpected(answer, context, `with JSON that is not the service's: ${context.redact(error.message)}`)
  }
}

/**
 * Checks the body of a successful deletion (spec 4.4); an empty one passes.
 * @throws NotFoundError if the service says that nothing was deleted; UnexpectedResponseError for any other body
 */
export function assertDeleted(answer: Answer, context: AnswerContext): void {
  if (answer.text.trim() === '') return
  if (answer.json === undefined) throw notTheService(answer, context)
  const { deleted } = Object(answer.json)
  if (deleted === false) throw new NotFoundError(`${target(context)}: nothing was deleted`, detailsOf(answer, context))
  if (deleted !== true) throw notTheService(answer, context)
}

/** The error that an answer without success stands for (spec 7). */
export function errorOf(answer: Answer, context: AnswerContext, retryAfterMs?: number): FileHostError {
  const { status, error } = answer
  const details = detailsOf(answer, context)
  const message = `${target(context)} answered ${status}${error.message ? `: ${context.redact(error.message)}` : ''}`
  if ((status === 404 || status === 410) && !isMissingUpload(answer, context.request)) {
    return notTheService(answer, context)
  }
  const fields = redactFields(error.fields ?? {}, context.redact)
  const window = refusingWindow(error.message ?? '')
  const hint = keyHint(status, error.message, context.baseUrl)
  const all = { ...details, fields, window, retryAfterMs, hint }
  return errorByStatus(status, message, all) ?? notTheService(answer, context)
}

/**
 * What to do about a key that is refused.
 * @param said the service's own words; a 401 without them comes from another server (spec 5.4)
 * @param whose where the key comes from
 */
export function keyHint(status: number | undefined, said: string | undefined, baseUrl: string, whose?: string) {
  const key = `this key${whose === undefined ? '' : ` (${whose})`}`
  const page = `${baseUrl}${keyPage}`
  if (status === 403) return `${page} shows suspensions and the allowed addresses of ${key}`
  if (status !== 401) return undefined
  return said === undefined ? checkBaseUrl : `The service does not know ${key}. Make one: ${page}`
}

const checkBaseUrl = 'Check the base URL: is it the address of the service itself?'

interface StatusDetails extends ErrorDetails {
  readonly fields?: Readonly<Record<string, readonly string[]>>
  readonly window?: WindowName | undefined
  readonly retryAfterMs?: number | undefined
}

/** The one table from statuses to errors; undefined for a status that is not in it. */
export function errorByStatus(status: number, message: string, details: StatusDetails): FileHostError | undefined {
  switch (status) {
    case 401:
      return new AuthenticationError(message, details)
    case 403:
      return new AccessDeniedError(message, details)
    case 404:
    case 410:
      return new NotFoundError(message, details)
    case 413:
    case 422:
      return new ValidationError(message, details)
    case 429:
      return new RateLimitError(message, { ...details, retryAfterMs: details.retryAfterMs ?? 0 })
    case 503:
      return new UnavailableError(message, details)
    default:
      return undefined
  }
}

/**
 * Whether the service says that an upload does not exist (spec 7.2). A 404 for an unknown path means a wrong base URL. A
 * 410 to a deletion counts with any body: the upload existed and is gone.
 */
function isMissingUpload({ status, json, error }: Answer, { method, path }: RequestInfo): boolean {
  if (status === 410 && method === 'DELETE') return path.startsWith(`${endpoints.list.path}/`)
  if (status !== 404 && status !== 410) return false
  const unknownRoute = /^The route .* could not be found/.test(error.message ?? '')
  return json !== undefined && !unknownRoute && path.startsWith(`${endpoints.list.path}/`)
}

/** The error of an answer that the service does not write. */
export function notTheService(answer: Answer, context: AnswerContext): UnexpectedResponseError {
  const { status, headers, error } = answer
  if (status >= 300 && status < 400 && headers['location'] !== undefined) {
    return unexpected(answer, context, `with a redirect to ${context.redact(headers['location'])}`)
  }
  if (answer.isTooLong) return unexpected(answer, context, `with more than ${LONGEST_BODY_MB} MB`)
  if (answer.isTooDeep) return unexpected(answer, context, `with JSON nested more than ${DEEPEST_JSON} deep`)
  if (error.message) return unexpected(answer, context, `: ${context.redact(error.message)}`)
  const html = /html/i.test(headers['content-type'] ?? '') || /^\s*</.test(answer.text)
  const kind =
    answer.text.trim() === '' ? 'with an empty body' : html ? 'with an HTML page' : 'with something that is not JSON'
  return unexpected(answer, context, answer.json === undefined ? kind : '')
}

/** The error of an answer that a cache had kept, where it was to prove something. */
export function fromCache(answer: Answer, context: AnswerContext): NoProofError {
  const age = /^\d{1,9}$/.exec(answer.headers['age'] ?? '')?.[0]
  const kept = age === undefined ? 'from a cache' : `from a cache, ${age} s old`
  return new NoProofError(`${target(context)} was answered ${kept}, which proves nothing`, {
    ...detailsOf(answer, context),
    hint: 'A cache before the service ignores Cache-Control: no-cache; it must not keep what the API answers',
  })
}

function redactFields(fields: Readonly<Record<string, readonly string[]>>, redact: (text: string) => string) {
  return Object.fromEntries(Object.entries(fields).map(([name, texts]) => [redact(name), texts.map(redact)]))
}

function unexpected(answer: Answer, context: AnswerContext, what: string): UnexpectedResponseError {
  const separator = what === '' || what.startsWith(':') ? '' : ' '
  const ownTrouble = answer.status >= 500
  return new UnexpectedResponseError(`${target(context)} answered ${answer.status}${separator}${what}`, {
    ...detailsOf(answer, context),
    // Redacts first: half a key would not be recognised.
    excerpt: context.redact(answer.text).slice(0, EXCERPT_LENGTH),
    hint: ownTrouble ? 'The service is in trouble; try again later' : checkBaseUrl,
  })
}

function detailsOf({ status, error }: Answer, { request, redact }: AnswerContext) {
  return { request, status, serviceMessage: error.message === undefined ? undefined : redact(error.message) }
}

/** The request in messages. */
export function target({ request, baseUrl }: Pick<AnswerContext, 'request' | 'baseUrl'>): string {
  return `${request.method} ${baseUrl}${request.path}`
}

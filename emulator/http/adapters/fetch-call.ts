import { invalidValue } from '../../../src/checks/coded-error.ts'
import { ownSignal } from '../../../src/system/signals.ts'
import { httpToken } from '../../http-types.ts'
import { remembered } from '../../values/remembered.ts'
import { bufferedBody, type FetchBody, isStreaming, readBody } from './fetch-body.ts'

/** What a call of `fetch` asks for, read from arguments of any environment's classes. */
export interface FetchCall {
  readonly method: string
  readonly url: URL
  readonly headers: HeaderRecord
  readonly body: FetchBody | undefined
  readonly signal: AbortSignal | undefined
  readonly redirect: Request['redirect']
}

/** The headers of a request by lower-case name, as `HttpRequest` has them. */
type HeaderRecord = Readonly<Record<string, string>>

/** The arguments of `fetch`; some of these fields are not in the types of every environment. */
interface Given {
  readonly method?: unknown
  readonly headers?: unknown
  readonly body?: unknown
  readonly signal?: AbortSignal | null
  readonly redirect?: unknown
  readonly duplex?: unknown
}

/**
 * Reads the arguments of a call of `fetch`.
 *
 * @param base where a path without a host leads
 * @throws TypeError, as `fetch` does, for arguments that no request can be made of
 */
export function readFetchCall(input: unknown, init: unknown, base: () => string): FetchCall {
  const given = readInit(init)
  const request = isRequest(input) ? input : undefined
  const call: FetchCall = {
    url: readUrl(request?.url ?? input, base),
    method: given.method === undefined ? (request?.method ?? 'GET') : readMethod(given.method),
    signal: readSignal(given.signal === undefined ? request?.signal : given.signal),
    redirect: readRedirect(given.redirect ?? request?.redirect),
    headers:
      given.headers === undefined && request !== undefined ? lowerNames(request.headers) : readHeaders(given.headers),
    body: given.body == null ? request && bodyOf(request) : newBody(given),
  }
  const { method, headers, body } = call
  if (body === undefined) return call
  if (/^(GET|HEAD)$/.test(method)) throw invalidValue(`A request with the method ${method} has no body`)
  return { ...call, headers: withBodyHeaders(headers, body) }
}

function readInit(init: unknown): Given {
  if (init == null) return {}
  if (typeof init === 'object' || typeof init === 'function') return init
  throw invalidValue(`The second argument of fetch is an object, not ${typeof init}`)
}

/** A `Request` of any environment: its class cannot be asked for. */
function isRequest(input: unknown): input is Request {
  const { method, headers } = Object(input)
  return typeof method === 'string' && typeof headers === 'object'
}

function readUrl(input: unknown, base: () => string): URL {
  const text = String(input)
  const url = parsedAlone(text) ?? parsed(text, base())
  if (url === undefined) throw invalidValue(`Failed to parse URL from ${text}`)
  if (!/^https?:$/.test(url.protocol)) throw new TypeError('fetch failed', { cause: new Error('unknown scheme') })
  if (url.username !== '' || url.password !== '') throw invalidValue(`The URL ${url.origin} has credentials in it`)
  return url
}

/** Parses once: `URL.canParse` before it would parse every URL twice. */
function parsed(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

/** Most calls have the address of an earlier one. */
const parsedAlone = remembered((text) => parsed(text))

/** What a request and its answer say of an address. */
export const partsOf = remembered((href) => {
  const { origin, pathname, search } = new URL(href)
  return { origin, target: pathname + search, shown: href.replace(/#.*$/, '') }
})

/** These are sent in capitals, however they were written; all others as they are. */
const capitals = /^(DELETE|GET|HEAD|OPTIONS|POST|PUT)$/i

function readMethod(given: unknown): string {
  const method = String(given)
  if (!httpToken.test(method) || /^(CONNECT|TRACE|TRACK)$/i.test(method)) {
    throw invalidValue(`${JSON.stringify(method)} cannot be the method of a request`)
  }
  return capitals.test(method) ? method.toUpperCase() : method
}

type Pairs = Iterable<readonly [name: string, value: string]>

const unsendable = /[\0\r\n]|[^\0-\xff]/

/**
 * Reads headers in any form that `fetch` takes.
 * @throws TypeError, as `fetch` does, for a name or value that cannot be sent
 */
function readHeaders(given: unknown): HeaderRecord {
  if (given == null) return {}
  if (typeof given !== 'object') throw invalidValue(`Headers are an object or an array of pairs, not ${typeof given}`)
  return lowerNames(pairsOf(given), sendable)
}

/** Joins repeated headers. Some environments keep names as they were written: happy-dom's `Headers` do. */
function lowerNames(pairs: Pairs, textOf = (value: unknown, _name: string) => value as string): HeaderRecord {
  // Filled by assignment, which takes a third of the time of Object.fromEntries, on every request.
  const headers: Record<string, string> = {}
  for (const [name, given] of pairs) {
    const key = lowerName(String(name))
    const value = textOf(given, String(name))
    headers[key] = Object.hasOwn(headers, key) ? `${headers[key]}, ${value}` : value
  }
  return headers
}

function pairsOf(given: object): Pairs {
  return Symbol.iterator in given ? (given as Pairs) : Object.entries(given)
}

const lowerName = remembered((name) => {
  if (!httpToken.test(name)) throw invalidValue(`${JSON.stringify(name)} cannot be the name of a header`)
  return name.toLowerCase()
})

function sendable(given: unknown, name: string): string {
  const value = String(given).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '')
  if (unsendable.test(value)) throw invalidValue(`The header ${name} has a value that cannot be sent`)
  return value
}

function readSignal(given: unknown): AbortSignal | undefined {
  if (given == null) return undefined
  const { aborted, addEventListener } = Object(given)
  if (typeof aborted === 'boolean' && typeof addEventListener === 'function') return ownSignal(given as AbortSignal)
  throw invalidValue('The signal of a request is an AbortSignal')
}

function readRedirect(given: unknown = 'follow'): Request['redirect'] {
  if (given === 'follow' || given === 'manual' || given === 'error') return given
  throw invalidValue(`redirect is one of follow, manual, error, but got ${JSON.stringify(given)}`)
}

function newBody({ body, duplex }: Given): FetchBody {
  if (isStreaming(body) && duplex !== 'half')
    throw invalidValue("A body that is a stream needs the option duplex: 'half'")
  if (Object(body).locked === true) throw invalidValue('The stream of the body is being read already, or has been')
  return readBody(body)
}

function bodyOf(request: Request): FetchBody | undefined {
  if (request.bodyUsed) throw invalidValue('Cannot use a Request whose body has been read already')
  const { body } = request
  if (body === null) return undefined
  if (body !== undefined) return readBody(body)
  // An environment without streams does not say whether there is a body.
  return /^(GET|HEAD)$/.test(request.method) ? undefined : bufferedBody(request)
}

function withBodyHeaders(headers: HeaderRecord, { contentType, length }: FetchBody): HeaderRecord {
  return {
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
    ...(length === undefined ? {} : { 'content-length': String(length) }),
    ...headers,
  }
}

import { randomUUID } from 'node:crypto'
import { ReadableStream } from 'node:stream/web'
import { isAnyArrayBuffer, isUint8Array } from 'node:util/types'
import { invalidValue } from '../../src/checks/coded-error.ts'
import { blobChunks, isBlob } from '../../src/system/blob-bytes.ts'
import { anySignal, ownSignal } from '../../src/system/signals.ts'
import {
  ConnectionResetError,
  type HttpHandler,
  type HttpResponse,
  hasNoBody,
  httpToken,
  noBody,
  RequestAbortedError,
  type ResponseBody,
  reasonPhrases,
} from '../http.ts'

export interface FetchOptions {
  /** Aborts every request in progress. */
  readonly cut?: AbortSignal
  /** Where a path without a host leads, as an absolute URL. */
  readonly base?: () => string
}

/** What a call of `fetch` asks for. */
interface FetchCall {
  readonly method: string
  readonly url: URL
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: FetchBody | undefined
  readonly signal: AbortSignal | undefined
  readonly redirect: Request['redirect']
}

/**
 * Turns the handler into a fetch function for callers in the same process. Without a connection to break, a reset
 * becomes what `fetch` reports: a TypeError whose cause has the code ECONNRESET, or a body that ends in a TypeError.
 */
export function toFetch(handle: HttpHandler, options: FetchOptions = {}): typeof globalThis.fetch {
  const { cut = new AbortController().signal, base = () => 'http://localhost' } = options
  return async (input: unknown, init?: unknown) => {
    for (let call = readCall(input, init, base), hops = 0; ; hops += 1) {
      const response = await send(handle, call, cut)
      const next = afterRedirect(call, response, hops)
      if (next === undefined) return toResponse(response, call, hops > 0)
      call = next
    }
  }
}

async function send(handle: HttpHandler, { method, url, headers, body, signal }: FetchCall, cut: AbortSignal) {
  signal?.throwIfAborted()
  const ends = signal === undefined ? [cut] : [signal, cut]
  try {
    return await handle({
      method,
      url: url.pathname + url.search,
      origin: url.origin,
      headers,
      clientIp: '127.0.0.1',
      body: body === undefined ? noBody : body.chunks(ends),
      clientGone: () => anySignal(ends),
    })
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof ConnectionResetError) throw failedBy(error)
    if (!(error instanceof RequestAbortedError)) throw error
    if (cut.aborted) throw failedBy(cut.reason)
    throw error.cause instanceof NotBytesError ? error.cause : failedBy(error.cause)
  }
}

/** As many as browsers and Node follow. */
const mostRedirects = 20

/**
 * The call that follows a redirect (Fetch 4.4); every host is the emulator's.
 * @returns undefined if the response is for the caller
 * @throws TypeError if the caller takes no redirects, or they have no end
 */
function afterRedirect(call: FetchCall, { status, headers }: HttpResponse, hops: number): FetchCall | undefined {
  const { method, url, redirect } = call
  const location = /^30[12378]$/.test(String(status)) ? headers['Location'] : undefined
  if (location === undefined || redirect === 'manual') return undefined
  if (redirect === 'error') throw failedBy(new Error('unexpected redirect'))
  if (hops === mostRedirects) throw failedBy(new Error('redirect count exceeded'))
  if (!URL.canParse(location, url.href)) throw failedBy(new Error(`the redirect leads to ${location}, which is no URL`))
  const next = { ...call, url: new URL(location, url) }
  const becomesGet = status === 303 ? !/^(GET|HEAD)$/.test(method) : status < 303 && method === 'POST'
  if (becomesGet) return { ...next, method: 'GET', headers: withoutBody(call), body: undefined }
  if (call.body !== undefined && call.body.length === undefined)
    throw failedBy(new Error('a stream cannot be sent again'))
  return next
}

/** Headers that describe a body are not repeated without one. */
function withoutBody({ headers }: FetchCall): FetchCall['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')))
}

function failedBy(cause: unknown): TypeError {
  return new TypeError('fetch failed', { cause })
}

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
 * Reads the arguments of a call of `fetch`; all but a `Request` may be of any environment's classes.
 * @param base where a path without a host leads
 * @throws TypeError, as `fetch` does, for arguments that no request can be made of
 */
function readCall(input: unknown, init: unknown, base: () => string): FetchCall {
  if (init != null && typeof init !== 'object' && typeof init !== 'function')
    throw invalidValue(`The second argument of fetch is an object, not ${typeof init}`)
  const given: Given = init ?? {}
  const request = requestIn(input)
  const method = given.method === undefined ? (request?.method ?? 'GET') : readMethod(given.method)
  const body = given.body == null ? request && bodyOf(request) : newBody(given)
  if (body !== undefined && /^(GET|HEAD)$/.test(method))
    throw invalidValue(`A request with the method ${method} has no body`)
  const headers = readHeaders(given.headers === undefined ? request?.headers : given.headers)
  return {
    url: readUrl(request?.url ?? input, base),
    method,
    signal: readSignal(given.signal === undefined ? request?.signal : given.signal),
    redirect: readRedirect(given.redirect ?? request?.redirect),
    headers: body === undefined ? headers : { ...headersOf(body), ...headers },
    body,
  }
}

/** @throws TypeError for a `Request` of another environment, whose body cannot be told by its class */
function requestIn(input: unknown): Request | undefined {
  if (typeof Request === 'function' && input instanceof Request) return input
  const { method, headers } = Object(input)
  if (typeof method !== 'string' || typeof headers !== 'object') return undefined
  throw invalidValue(
    'This Request is not of the class Request of this environment: call fetch(url, init), with what the Request was made of',
  )
}

function readUrl(input: unknown, base: () => string): URL {
  const text = String(input)
  const url = URL.parse(text) ?? URL.parse(text, base())
  if (url === null) throw invalidValue(`Failed to parse URL from ${text}`)
  if (!/^https?:$/.test(url.protocol)) throw failedBy(new Error('unknown scheme'))
  if (url.username !== '' || url.password !== '') throw invalidValue(`The URL ${url.origin} has credentials in it`)
  return url
}

/** These are sent in capitals, however they were written; all others as they are. */
const capitals = /^(DELETE|GET|HEAD|OPTIONS|POST|PUT)$/i

function readMethod(given: unknown): string {
  const method = String(given)
  if (!httpToken.test(method) || /^(CONNECT|TRACE|TRACK)$/i.test(method)) {
    throw invalidValue(`${JSON.stringify(method)} cannot be the method of a request`)
  }
  return capitals.test(method) ? method.toUpperCase() : method
}

type Pairs = Iterable<readonly [name: unknown, value: unknown]>

/**
 * Reads headers in any form that `fetch` takes, and joins repeated ones. Some environments keep names as they were written:
 * happy-dom's `Headers` do.
 * @throws TypeError, as `fetch` does, for a name or value that cannot be sent
 */
function readHeaders(given: unknown): FetchCall['headers'] {
  if (given == null) return {}
  if (typeof given !== 'object') throw invalidValue(`Headers are an object or an array of pairs, not ${typeof given}`)
  const headers: Record<string, string> = {}
  for (const [name, found] of Symbol.iterator in given ? (given as Pairs) : Object.entries(given)) {
    const key = String(name).toLowerCase()
    if (!httpToken.test(key)) throw invalidValue(`${JSON.stringify(name)} cannot be the name of a header`)
    const value = String(found).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '')
    if (/[\0\r\n]|[^\0-\xff]/.test(value)) throw invalidValue(`The header ${name} has a value that cannot be sent`)
    headers[key] = Object.hasOwn(headers, key) ? `${headers[key]}, ${value}` : value
  }
  return headers
}

function headersOf({ contentType, length }: FetchBody): FetchCall['headers'] {
  return {
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
    ...(length === undefined ? {} : { 'content-length': String(length) }),
  }
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

function bodyOf({ body, bodyUsed }: Request): FetchBody | undefined {
  if (bodyUsed) throw invalidValue('Cannot use a Request whose body has been read already')
  return body === null ? undefined : readBody(body)
}

/**
 * The response as a `Response` of the environment of this moment, with the address that was asked.
 * @throws TypeError if the environment has no `Response`
 */
function toResponse(
  { status, headers, body }: HttpResponse,
  { url, signal }: FetchCall,
  isRedirected: boolean,
): Response {
  if (typeof Response !== 'function') throw invalidValue(noResponse)
  const init = { status, statusText: reasonPhrases[status] ?? '', headers }
  const response = new Response(hasNoBody(status) ? null : bodyInit(body, signal), init)
  const shown = { value: url.href.replace(/#.*$/, ''), configurable: true, enumerable: true }
  Object.defineProperty(response, 'url', shown)
  if (isRedirected) Object.defineProperty(response, 'redirected', { value: true, configurable: true })
  return response
}

const noResponse =
  'This environment has no Response, so emulator.fetch has nothing to answer with: for Jest with jsdom set ' +
  "testEnvironment: 'jest-fixed-jsdom'"

function bodyInit(body: ResponseBody, signal: AbortSignal | undefined) {
  if (body === null || typeof body === 'string') return body
  return isUint8Array(body) ? Uint8Array.from(body) : streamOf(body, signal)
}

/** A stream that reads its source only on demand and closes it when the reader is done. */
function streamOf(source: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]()
  const finished = new AbortController()
  const close = async () => {
    finished.abort()
    await iterator.return?.()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(stream) {
        if (signal === undefined) return
        const stop = () => {
          stream.error(signal.reason)
          void close().catch(() => {})
        }
        if (signal.aborted) return stop()
        signal.addEventListener('abort', stop, { signal: finished.signal })
      },
      async pull(stream) {
        const { done, value } = await iterator.next().catch((error: unknown) => {
          finished.abort()
          throw error instanceof ConnectionResetError ? new TypeError('terminated', { cause: error }) : error
        })
        if (done !== true) return stream.enqueue(value)
        finished.abort()
        stream.close()
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  )
}

/** The body of a call of `fetch`. */
interface FetchBody {
  /** For a call whose headers have no type. */
  readonly contentType?: string
  /** In bytes; absent for a stream. */
  readonly length?: number
  /** Can be read once. A signal that aborts closes a stream, even while it sends nothing. */
  chunks(closing: readonly AbortSignal[]): AsyncIterable<Uint8Array>
}

/** A body with something other than bytes; the message is that of the platform's fetch. */
class NotBytesError extends TypeError {}

/** Whether a body can be read only as it comes, so that `duplex` has to be given. */
function isStreaming(given: unknown): boolean {
  return !isBlob(given) && (has(given, 'getReader') || has(given, Symbol.asyncIterator))
}

/**
 * Reads a body in any form that `fetch` takes, of the classes of any environment: their methods tell them, because
 * `instanceof` knows the classes of one environment only. Bytes are copied, files and streams are read as they are sent.
 */
function readBody(given: unknown): FetchBody {
  if (isAnyArrayBuffer(given)) return bytesBody(Buffer.from(new Uint8Array(given)))
  if (ArrayBuffer.isView(given)) return bytesBody(copyOf(given))
  if (isBlob(given)) {
    const type = given.type === '' ? {} : { contentType: given.type }
    return { ...type, length: given.size, chunks: () => blobChunks(given) }
  }
  if (has(given, 'append') && has(given, 'getAll')) {
    if (!has(given, 'sort')) return formBody(given as FormData)
    return textBody(String(given), 'application/x-www-form-urlencoded;charset=UTF-8')
  }
  if (has(given, 'getReader')) return { chunks: (closing) => streamChunks(given as ReadableStream, closing) }
  if (has(given, Symbol.asyncIterator)) {
    const bytes = bytesOnly(given as AsyncIterable<unknown>)
    return { chunks: (closing) => streamChunks(ReadableStream.from(bytes), closing) }
  }
  return textBody(String(given), 'text/plain;charset=UTF-8')
}

function has(value: unknown, method: string | symbol): boolean {
  return typeof Object(value)[method] === 'function'
}

function textBody(text: string, contentType: string): FetchBody {
  return { contentType, ...bytesBody(Buffer.from(text)) }
}

function bytesBody(bytes: Buffer): FetchBody {
  async function* chunks() {
    if (bytes.length > 0) yield bytes
  }
  return { length: bytes.length, chunks }
}

function copyOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(Buffer.from(buffer, byteOffset, byteLength))
}

async function* bytesOnly(source: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const chunk of source) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
}

async function* streamChunks(stream: ReadableStream<unknown>, closing: readonly AbortSignal[]) {
  const reader = stream.getReader()
  const reason = () => closing.find(({ aborted }) => aborted)?.reason
  const stop = () => void reader.cancel(reason()).catch(() => {})
  for (const signal of closing) signal.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (closing.some(({ aborted }) => aborted)) throw reason()
      if (done) return
      if (!isUint8Array(value)) throw new NotBytesError('Received non-Uint8Array chunk')
      yield value
    }
  } finally {
    for (const signal of closing) signal.removeEventListener('abort', stop)
    stop()
  }
}

const lineEnd = Buffer.from('\r\n')

/** Writes a `FormData` as multipart/form-data, as browsers do (HTML 4.10.21.8). */
function formBody(form: FormData): FetchBody {
  const boundary = `----filehost-${randomUUID()}`
  const parts = Array.from(form as unknown as Iterable<[string, unknown]>, (entry) => toPart(boundary, entry))
  const end = Buffer.from(`--${boundary}--\r\n`)
  const sizes = parts.map(({ head, content }) => head.length + sizeOf(content) + lineEnd.length)
  async function* chunks() {
    for (const { head, content } of parts) {
      yield head
      if (isBlob(content)) yield* blobChunks(content)
      else yield content
      yield lineEnd
    }
    yield end
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    length: sizes.reduce((sum, size) => sum + size, end.length),
    chunks,
  }
}

/** A part of a form: its head, and what follows it. */
interface Part {
  readonly head: Buffer
  readonly content: Buffer | Blob
}

function toPart(boundary: string, [name, value]: readonly [string, unknown]): Part {
  const disposition = `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(withLineEnds(name))}"`
  if (!isBlob(value)) {
    return { head: Buffer.from(`${disposition}\r\n\r\n`), content: Buffer.from(withLineEnds(String(value))) }
  }
  const filename = 'name' in value ? String(value.name) : 'blob'
  const type = value.type || 'application/octet-stream'
  const head = `${disposition}; filename="${escaped(filename)}"\r\nContent-Type: ${type}\r\n\r\n`
  return { head: Buffer.from(head), content: value }
}

function sizeOf(content: Part['content']): number {
  return isBlob(content) ? content.size : content.length
}

function withLineEnds(text: string): string {
  return text.replace(/\r\n?|\n/g, '\r\n')
}

function escaped(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')
}

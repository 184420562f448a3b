import { randomUUID } from 'node:crypto'
import { ReadableStream } from 'node:stream/web'
import { isAnyArrayBuffer, isUint8Array } from 'node:util/types'
import { invalidValue } from '../../src/checks/coded-error.ts'
import { blobChunks, isBlob } from '../../src/system/blob-bytes.ts'
import { abortable, anySignal, orAborted, over, ownSignal } from '../../src/system/signals.ts'
import {
  ConnectionResetError,
  type HttpHandler,
  type HttpResponse,
  hasNoBody,
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
    for (let call = readCall(input, Object(init), base), hops = 0; ; hops += 1) {
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
    throw failedBy(cut.aborted ? cut.reason : error.cause)
  }
}

/**
 * The call that follows a redirect; every host is the emulator's.
 * @returns undefined if the response is for the caller
 * @throws TypeError if the caller takes no redirects, or they have no end
 */
function afterRedirect(call: FetchCall, { status, headers }: HttpResponse, hops: number): FetchCall | undefined {
  const location = /^30[12378]$/.test(String(status)) ? headers['Location'] : undefined
  if (location === undefined || call.redirect === 'manual') return undefined
  const url = URL.parse(location, call.url.href)
  // As many as browsers and Node follow.
  if (call.redirect === 'error' || url === null || hops === 20)
    throw failedBy(new Error(`the redirect to ${location} is not followed`))
  // A form that was answered leads to a page; its body is not sent there.
  const becomesGet = status === 303 ? !/^(GET|HEAD)$/.test(call.method) : status < 303 && call.method === 'POST'
  if (!becomesGet) return { ...call, url }
  const rest = Object.entries(call.headers).filter(([name]) => !name.startsWith('content-'))
  return { ...call, url, method: 'GET', headers: Object.fromEntries(rest), body: undefined }
}

function failedBy(cause: unknown): TypeError {
  return new TypeError('fetch failed', { cause })
}

/**
 * Reads the arguments of a call of `fetch`. Bodies and signals may be of any environment's classes; the rest is what this
 * environment's `Request` makes of it.
 * @param base where a path without a host leads
 * @throws TypeError, as `fetch` does, for arguments that no request can be made of, or in an environment without `fetch`
 */
function readCall(input: unknown, init: RequestInit, base: () => string): FetchCall {
  if (typeof Request !== 'function' || typeof Response !== 'function') throw invalidValue(noFetch)
  const { method, headers, signal, redirect } = init
  const given = {
    ...(method !== undefined && { method }),
    ...(headers !== undefined && { headers }),
    ...(redirect !== undefined && { redirect }),
  }
  const request = new Request(targetOf(input, base), given)
  const url = new URL(request.url)
  if (!/^https?:$/.test(url.protocol)) throw failedBy(new Error('unknown scheme'))
  const body = bodyOf(init.body ?? request.body, request)
  return {
    url,
    method: request.method,
    // Some environments keep names as they were written: happy-dom's `Headers` do.
    headers: { ...(body && headersOf(body)), ...Object.fromEntries(Array.from(request.headers, lowerCased)) },
    body,
    redirect: request.redirect,
    signal: signal == null ? (input as Partial<Request>).signal : ownSignal(signal),
  }
}

function targetOf(input: unknown, base: () => string): Request | string | URL {
  if (input instanceof Request) return input
  if (typeof Object(input).method === 'string') throw invalidValue(foreignRequest)
  const text = String(input)
  return URL.parse(text) ?? URL.parse(text, base()) ?? text
}

function bodyOf(given: unknown, { method }: Request): FetchBody | undefined {
  if (given == null) return undefined
  if (/^(GET|HEAD)$/.test(method)) throw invalidValue(`A request with the method ${method} has no body`)
  if (Object(given).locked === true) throw invalidValue('The stream of the body is being read already, or has been')
  return readBody(given)
}

const noFetch =
  'This environment has no Request and Response, so emulator.fetch has nothing to answer with: for Jest with jsdom set ' +
  "testEnvironment: 'jest-fixed-jsdom'"

const foreignRequest =
  'This Request is not of the class Request of this environment: call fetch(url, init), with what the Request was made of'

const lowerCased = ([name, value]: readonly [string, string]) => [name.toLowerCase(), value] as const

function headersOf({ contentType, length }: FetchBody): FetchCall['headers'] {
  return {
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
    ...(length === undefined ? {} : { 'content-length': String(length) }),
  }
}

/** The response as a `Response` of the environment of this moment, with the address that was asked. */
function toResponse({ status, headers, body }: HttpResponse, call: FetchCall, isRedirected: boolean): Response {
  const { url, signal } = call
  const init = { status, statusText: reasonPhrases[status] ?? '', headers }
  const response = new Response(hasNoBody(status) ? null : bodyInit(body, signal), init)
  const shown = { value: url.href.replace(/#.*$/, ''), configurable: true, enumerable: true }
  Object.defineProperty(response, 'url', shown)
  if (isRedirected) Object.defineProperty(response, 'redirected', { value: true, configurable: true })
  return response
}

function bodyInit(body: ResponseBody, signal: AbortSignal | undefined) {
  if (body === null || typeof body === 'string') return body
  return isUint8Array(body) ? Uint8Array.from(body) : ReadableStream.from(fetched(body, signal))
}

/** A body as `fetch` gives it: read on demand, and closed when its reader is done. */
async function* fetched(body: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined) {
  try {
    yield* abortable(body, signal)
  } catch (error) {
    throw error instanceof ConnectionResetError ? new TypeError('terminated', { cause: error }) : error
  }
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

/**
 * Reads a body in any form that `fetch` takes, of the classes of any environment: their methods tell them, because
 * `instanceof` knows the classes of one environment only. Bytes are copied, files and streams are read as they are sent.
 */
function readBody(given: unknown): FetchBody {
  if (isAnyArrayBuffer(given)) return bytesBody(Buffer.from(new Uint8Array(given)))
  if (ArrayBuffer.isView(given))
    return bytesBody(Buffer.from(new Uint8Array(given.buffer, given.byteOffset, given.byteLength)))
  if (isBlob(given)) {
    const type = given.type === '' ? {} : { contentType: given.type }
    return { ...type, length: given.size, chunks: () => blobChunks(given) }
  }
  if (has(given, 'append') && has(given, 'getAll')) {
    if (!has(given, 'sort')) return formBody(given as FormData)
    return textBody(String(given), 'application/x-www-form-urlencoded;charset=UTF-8')
  }
  if (has(given, 'getReader') || has(given, Symbol.asyncIterator)) {
    const stream = has(given, 'getReader') ? given : ReadableStream.from(given as AsyncIterable<unknown>)
    return { chunks: (closing) => streamChunks(stream as ReadableStream, closing) }
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

async function* streamChunks(stream: ReadableStream<unknown>, closing: readonly AbortSignal[]) {
  const reader = stream.getReader()
  const end = new AbortController()
  const closed = anySignal(closing, end.signal)
  try {
    for (;;) {
      const { done, value } = await orAborted(reader.read(), closed)
      if (done) return
      const bytes = typeof value === 'string' ? Buffer.from(value) : value
      if (!isUint8Array(bytes)) throw new Error('Received non-Uint8Array chunk')
      yield bytes
    }
  } finally {
    end.abort(over)
    // Not awaited: a silent stream would never end.
    reader.cancel(closed.reason).catch(() => {})
  }
}

const lineEnd = Buffer.from('\r\n')

/** Writes a `FormData` as multipart/form-data, as browsers do (HTML 4.10.21.8). */
function formBody(form: FormData): FetchBody {
  const boundary = `----filehost-${randomUUID()}`
  const parts = Array.from(form as unknown as Iterable<[string, unknown]>, (entry) => toPart(boundary, entry))
  const end = Buffer.from(`--${boundary}--\r\n`)
  const sizes = parts.map(
    ({ head, content }) => head.length + (isBlob(content) ? content.size : content.length) + lineEnd.length,
  )
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

function withLineEnds(text: string): string {
  return text.replace(/\r\n?|\n/g, '\r\n')
}

function escaped(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')
}

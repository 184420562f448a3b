import { STATUS_CODES } from 'node:http'
import { isLoopbackAddress } from './values/ip-allowlist.ts'

/** A request, from a socket or from `emulator.fetch`. */
export interface HttpRequest {
  readonly method: string
  /** Path and query as sent. */
  readonly url: string
  /** Scheme, host and port that the client addressed; links in answers begin with it. */
  readonly origin: string
  /** By lower-case name; the values of a repeated header are joined by commas. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly clientIp: string
  /** The local port of the socket; absent without a socket. */
  readonly localPort?: number
  /** Such as `1.1`; absent without a socket. */
  readonly httpVersion?: string
  /** Can be read once; throws if the client disconnects before its end. */
  readonly body: AsyncIterable<Uint8Array>
  /**
   * Aborts when the client disconnects. A method, because a signal made for every request, or an accessor, would slow
   * down every request.
   */
  clientGone?(): AbortSignal
}

export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ResponseBody
}

/**
 * An iterable is read as fast as the client takes it. If the client disconnects first, its iterator is closed; for a
 * HEAD it may never begin.
 */
export type ResponseBody = string | Uint8Array | AsyncIterable<Uint8Array> | null

/** The body of a request without one, which every such request shares. */
export const noBody: AsyncIterable<Uint8Array> = (async function* () {})()

/** How long requests in progress may take once the emulator closes, in milliseconds. */
export const closeGraceMs = 5_000

/** @throws RequestAbortedError if the client disconnected before it could be answered */
export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse>

/** The client disconnected before its request had arrived. */
export class RequestAbortedError extends Error {
  override readonly name = 'RequestAbortedError'
}

/** Thrown to reset the connection instead of answering. */
export class ConnectionResetError extends Error {
  override readonly name = 'ConnectionResetError'
  /** The system's code, by which callers in the same process recognise a reset. */
  readonly code = 'ECONNRESET'
}

/** The body has no declared length and is larger than any upload may be. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError'
}

/**
 * The whole body; undefined if it is larger.
 * @throws RequestAbortedError
 */
export async function receiveWhole({ body }: HttpRequest, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = []
  let left = maxBytes
  for await (const chunk of body) {
    left -= chunk.length
    if (left < 0) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Whether a person opens the address in a browser, and no program asks. */
export function wantsPage({ method, headers }: HttpRequest): boolean {
  return /^(GET|HEAD)$/.test(method) && /\btext\/html\b/i.test(headers['accept'] ?? '')
}

/** Whether a person is about to see the answer: a HEAD, or a page fetched in advance, counts nothing and uses nothing up. */
export function isLooking({ method, headers }: HttpRequest): boolean {
  return method === 'GET' && !(headers['sec-purpose'] ?? headers['purpose'] ?? '').includes('prefetch')
}

/** What a method is, and the name of a header (RFC 9110 5.6.2). */
export const httpToken = /^[\w!#$%&'*+.^`|~-]+$/

/** The words beside a status. Two of them are newer than Node's, as the framework's current release has them (RFC 9110). */
export const reasonPhrases: Readonly<Record<number, string | undefined>> = {
  ...STATUS_CODES,
  413: 'Content Too Large',
  422: 'Unprocessable Content',
}

/** Whether a response of this status has no body: a `Response` cannot be created with one. */
export function hasNoBody(status: number): boolean {
  return status === 204 || status === 205 || status === 304
}

/** Headers by which proxies tell whose request they pass on. */
const proxyHeaders = ['X-Forwarded-For', 'X-Real-IP', 'Forwarded', 'Via']

/**
 * What shows that a request came through a proxy, whose own address says nothing about the client.
 * @returns undefined if nothing shows it
 */
export function proxySign({ headers, httpVersion }: Pick<HttpRequest, 'headers' | 'httpVersion'>): string | undefined {
  // Before its release 1.29.7, nginx says nothing of itself unless told to, but speaks HTTP/1.0, which no browser does.
  return (
    proxyHeaders.find((name) => headers[name.toLowerCase()] !== undefined) ??
    (httpVersion === '1.0' ? 'HTTP/1.0' : undefined)
  )
}

/** Whether a request is of a program on the emulator's machine, as far as can be seen. */
export function isFromThisMachine(request: Pick<HttpRequest, 'clientIp' | 'headers' | 'httpVersion'>): boolean {
  return isLoopbackAddress(request.clientIp) && proxySign(request) === undefined
}

import type { MaybePromise } from './values/maybe-promise.ts'

/** A request, from a socket or from `emulator.fetch`. */
export interface HttpRequest {
  readonly method: string
  /** Path and query as sent. */
  readonly url: string
  /** Scheme, host and port that the client addressed; links in answers begin with it. */
  readonly origin: string
  /** By lower-case name; the values of a repeated header are joined by commas. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
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

export interface HttpReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ReplyBody
}

/**
 * An iterable is read as fast as the client takes it. If the client disconnects first, its iterator is closed; for a
 * HEAD it may never begin.
 */
export type ReplyBody = string | Uint8Array | AsyncIterable<Uint8Array> | null

/** The body of a request without one, which every such request shares. */
export const noBody: AsyncIterable<Uint8Array> = (async function* () {})()

/** The client disconnected before its request had arrived. */
export class RequestAbortedError extends Error {
  override readonly name = 'RequestAbortedError'
}

/** @throws RequestAbortedError if the client disconnected before it could be answered */
export type HttpHandler = (request: HttpRequest) => MaybePromise<HttpReply>

/** A request header as one string. */
export function headerOf(request: HttpRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** Whether a person opens the address in a browser, and no program asks. */
export function wantsPage(request: HttpRequest): boolean {
  return /^(GET|HEAD)$/.test(request.method) && /\btext\/html\b/i.test(headerOf(request, 'accept') ?? '')
}

/** Whether a person is about to see the answer: a HEAD, or a page fetched in advance, counts nothing and uses nothing up. */
export function isLooking(request: HttpRequest): boolean {
  const purpose = headerOf(request, 'sec-purpose') ?? headerOf(request, 'purpose') ?? ''
  return request.method === 'GET' && !purpose.includes('prefetch')
}

/** What a method is, and the name of a header (RFC 9110 5.6.2). */
export const httpToken = /^[\w!#$%&'*+.^`|~-]+$/

/** The header of a 404 for a path that the service does not have, so that an adapter can pass the request on. */
export const unrouted = { 'X-Fh-Emulator': 'unrouted' } as const

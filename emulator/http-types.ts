/** A request as the service's handler sees it, whichever door it came in by. */
export interface HttpRequest {
  readonly method: string
  /** Path and query as they were sent. */
  readonly url: string
  /** Scheme, host and port the client addressed; links in answers begin with it. */
  readonly origin: string
  /** By lower-case name; a header sent several times is one value joined by commas. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly clientIp: string
  /** The port it came in by; absent where it came without a socket. */
  readonly localPort?: number
  /** To be read once at most; it throws where the client goes away before its end. */
  readonly body: AsyncIterable<Uint8Array>
  /**
   * Aborts when the client no longer waits for the answer. Called by those who wait; a property would have to be made
   * for every request, or be an accessor, which slows down every request there is.
   */
  departure?(): AbortSignal
}

export interface HttpReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ReplyBody
}

/**
 * Text and bytes are sent as they are. A source is read as fast as the client takes it, to its end; where the client
 * goes away first, or the answer is to a HEAD, its iterator is closed, or never begun.
 */
export type ReplyBody = string | Uint8Array | AsyncIterable<Uint8Array> | null

/** The client went away before its request had arrived; there is nobody to answer. */
export class RequestAbortedError extends Error {
  override readonly name = 'RequestAbortedError'
}

/** @throws RequestAbortedError where the client went away before it could be answered */
export type HttpHandler = (request: HttpRequest) => Promise<HttpReply>

/** A request header as one text. */
export function headerOf(request: HttpRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

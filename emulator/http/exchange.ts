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
  /** To be read once at most; it throws where the client goes away before its end. */
  readonly body: AsyncIterable<Uint8Array>
  /** Aborts when the client no longer waits for the answer; sockets tell it through the body alone. */
  readonly signal?: AbortSignal
}

export interface HttpReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** @throws RequestAbortedError where the client went away before it could be answered */
export type HttpHandler = (request: HttpRequest) => Promise<HttpReply>

/** A request header as one text. */
export function headerOf(request: HttpRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

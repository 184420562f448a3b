/** What a request carries besides its headers. A body is opened anew for every attempt. */
export interface RequestBody {
  readonly contentType: string
  /** In bytes; undefined where only the end of the stream will tell. */
  readonly length?: number
  /** The body in chunks; a failure of the source is thrown from the iteration. */
  chunks(): AsyncIterable<Uint8Array>
}

/** One request, its headers complete but for those of the body. */
export interface TransportRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: RequestBody
  readonly signal?: AbortSignal
}

/** An answer whose headers are in. */
export interface TransportResponse {
  readonly status: number
  /** Names in lower case; a repeated header's values joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** To be read to its end or left by `break`; a cut connection is thrown as {@link TransportError}. */
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Performs one HTTP exchange: no retry, no redirect followed, no status judged.
 *
 * `send` resolves as soon as the response's headers are in, also while the body is still going out. It rejects with
 * {@link TransportError} where the exchange failed, also because the body could not be read, and with `signal.reason`
 * where the caller aborted.
 */
export interface Transport {
  send(request: TransportRequest): Promise<TransportResponse>
  /** Lets go of kept-alive connections. */
  close?(): Promise<void>
}

/**
 * How an exchange failed: `unreachable` — no connection came about; `untrusted` — the other side's certificate is not
 * trusted; `wrong-scheme` — https to a port without TLS, or http to a port that speaks TLS; `timeout` — nothing moved for
 * too long; `interrupted` — the connection broke. After the first three the service has taken nothing of the request.
 */
export type TransportFailure = 'unreachable' | 'untrusted' | 'wrong-scheme' | 'timeout' | 'interrupted'

/** Whether the service can have taken anything of a request that failed in this way. */
export function mayHaveArrived(failure: TransportFailure): boolean {
  return failure === 'timeout' || failure === 'interrupted'
}

/** An exchange that failed; `failure` says how far it can have got. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly failure: TransportFailure
  /** Whether another try can only fail in the same way: a certificate that is not trusted, a proxy that refuses, an answer that this transport cannot read. */
  readonly permanent: boolean

  constructor(failure: TransportFailure, message: string, details: { cause?: unknown; permanent?: boolean } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.failure = failure
    this.permanent = details.permanent ?? false
  }

  /** Whether the service can have taken anything of the request. */
  get mayHaveArrived(): boolean {
    return mayHaveArrived(this.failure)
  }
}

/** How long nothing may move in either direction before an exchange is given up. */
export const defaultIdleTimeoutMs = 120_000

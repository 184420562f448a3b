import { CodedError } from '../../checks/coded-error.ts'

/** The body of one attempt; every attempt has its own. */
export interface RequestBody {
  readonly contentType: string
  /** In bytes; undefined for a stream of unknown size. */
  readonly length?: number
  /** The body in chunks; the iteration throws if the source fails. */
  chunks(): AsyncIterable<Uint8Array>
}

/** Its headers are complete except for those of the body. */
export interface TransportRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: RequestBody
  readonly signal?: AbortSignal
}

/** An answer whose headers have arrived. */
export interface TransportResponse {
  readonly status: number
  /** Names in lower case; a repeated header's values joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** To be read to its end or left by `break`; throws {@link TransportError} if the connection breaks. */
  readonly body: AsyncIterable<Uint8Array>
}

/** Performs one HTTP exchange. It neither retries nor follows redirects nor judges the status. */
export interface Transport {
  /**
   * Resolves when the headers of the answer have arrived, even if the body is still being sent. Rejects with
   * {@link TransportError}, also because the body cannot be read, and with `signal.reason` after an abort by the caller.
   */
  send(request: TransportRequest): Promise<TransportResponse>
  /** Closes kept-alive connections. */
  close?(): Promise<void>
}

/**
 * How an exchange failed. `unreachable`: no connection was made. `untrusted`: the other side's certificate is not
 * trusted. `wrong-scheme`: https to a port without TLS. `timeout`: no byte moved for too long. `interrupted`: the connection
 * broke. In the first three cases the service has received nothing of the request.
 */
export type TransportFailure = (typeof transportFailures)[number]

export const transportFailures = ['unreachable', 'untrusted', 'wrong-scheme', 'timeout', 'interrupted'] as const

/** Whether the service may have received a part of a request that failed in this way. */
export function mayHaveArrived(failure: TransportFailure): boolean {
  return failure === 'timeout' || failure === 'interrupted'
}

/** An exchange that failed. */
export class TransportError extends CodedError {
  override readonly name = 'TransportError'
  readonly code: `transport-${TransportFailure}`
  readonly failure: TransportFailure
  /** Whether every further try fails too. */
  readonly permanent: boolean
  /** Whether the service may have received a part of the request. */
  readonly mayHaveArrived: boolean

  constructor(failure: TransportFailure, message: string, details: { cause?: unknown; permanent?: boolean } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = `transport-${failure}`
    this.failure = failure
    this.permanent = details.permanent ?? false
    this.mayHaveArrived = mayHaveArrived(failure)
  }
}

/** How long no byte may move in either direction before an exchange is aborted. */
export const defaultIdleTimeoutMs = 120_000

/** The headers of a request, with those of its body. */
export function sentHeaders({ headers, body }: TransportRequest): Record<string, string> {
  return {
    ...headers,
    ...(body && { 'content-type': body.contentType }),
    ...(body?.length !== undefined && { 'content-length': String(body.length) }),
  }
}

/** The headers of an answer from Node or undici, repeated ones joined by commas. */
export function receivedHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  )
}

/** The headers of an answer once it is unpacked: none of those that count or name its packed bytes. */
export function withoutPacking(headers: Readonly<Record<string, string>>): Record<string, string> {
  const packed = ['content-encoding', 'content-length', 'etag', 'last-modified']
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !packed.includes(name)))
}

/** Whether the end of an answer's body is the end of the connection (RFC 9112 6.3). */
export function isEndedByClose(headers: Readonly<Record<string, unknown>>): boolean {
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
}

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

/** Whether the end of an answer's body is the end of the connection (RFC 9112 6.3). */
export function isEndedByClose(headers: Readonly<Record<string, unknown>>): boolean {
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
}

/** What Node 24 adds to some of them: its flag does not exist for who runs `fh`, and says nothing of `ca`. */
const NODE_ADVICE = /; if the root CA is installed locally, .*/
/** OpenSSL's words are the fourth part of its messages. */
const OPENSSL = /^[0-9A-F]*:?error:[^:]*:[^:]*:[^:]*:([^:]*):.*$/s
const UNASKED_CONTINUE =
  'the server sent 100 Continue unasked, which undici and fetch cannot read, but nodeTransport can'
const NO_TLS = 'the other side does not speak TLS on this port; is it http://?'
export const NO_CONNECTION = 'no connection was made in time'
const CUT = 'the connection was cut'
export const USER_MISSING = 'the proxy asks for a user name and a password: give them as http://user:password@host:port'

interface Reason {
  /** Fits the code and the message of an HTTP library's error, with a space between. */
  readonly said: RegExp
  /** Default: `interrupted`. */
  readonly failure?: TransportFailure
  readonly permanent?: true
  /** In place of the library's, which `$1` stands for. */
  readonly words?: string
}

/**
 * Every reason that is known by a library's words; the first that fits counts. docs/exit-codes.md has them for people.
 * `unreachable` only for errors while connecting: on an open connection the same codes do not tell what has arrived.
 */
const reasons: readonly Reason[] = [
  // The connection ends before a request is sent.
  { said: /^(\w*CERT[_ ]|UNABLE_TO_|HOSTNAME_MISMATCH)/, failure: 'untrusted', permanent: true },
  // An emulator of this process that is closed stays closed.
  { said: /^emulator-closed /, failure: 'unreachable', permanent: true },
  { said: /^UND_ERR_CONNECT_TIMEOUT/, failure: 'unreachable', words: NO_CONNECTION },
  { said: /before secure TLS connection/, failure: 'unreachable' },
  { said: /^UND_ERR_(HEADERS|BODY)_TIMEOUT/, failure: 'timeout', words: 'no answer came in time' },
  { said: /^ETIMEDOUT/, failure: 'timeout' },
  { said: /wrong.version.number|packet.length.too.long/i, permanent: true, words: NO_TLS },
  {
    said: /^ERR_SSL_\S*(HANDSHAKE_FAILURE|PROTOCOL|CERTIFICATE_REQUIRED)/,
    permanent: true,
    words: 'the other side refuses this TLS connection ($1)',
  },
  // undici's error for an unrequested `100 Continue`, which every client has to accept (RFC 9110 15.2).
  { said: /^UND_ERR_SOCKET bad response$/, permanent: true, words: UNASKED_CONTINUE },
  { said: /unexpected redirect/, permanent: true, words: 'the answer is a redirect, which fetch does not show' },
  // Also where the connection ends within an answer: Node's parser, then undici's.
  { said: /^(ECONNRESET)? aborted$|other side closed|socket hang up|invalid EOF state/i, words: CUT },
  // Of Node's parser; of undici's, its upgrades, headers and lengths; of the `fetch` of Node for a body, and of Bun.
  {
    said: /^(HPE_|\w+_HEADERS?_OVERFLOW|UND_ERR_RES_CONTENT_LENGTH|UND_ERR_SOCKET bad upgrade|Z_DATA_ERROR|Malformed_|Invalid(HTTP|Content)|Unrequested)|HTTP\/1\.1 protocol/,
    permanent: true,
    words: 'the answer is not valid HTTP ($1)',
  },
]

/** The address at which nothing listens, if that is why an exchange failed; '' where the system does not tell it. */
export function refusedAddress(error: unknown): string | undefined {
  const refusal = causes(error).find((cause) => Reflect.get(Object(cause), 'code') === 'ECONNREFUSED')
  return refusal === undefined ? undefined : String(Reflect.get(Object(refusal), 'address') ?? '')
}

/** The error of an exchange; `signal.reason` if the caller aborted it. */
export function exchangeError(error: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted ? signal.reason : toTransportError(error)
}

export function cutError(): TransportError {
  return new TransportError('interrupted', CUT)
}

/** The same for an answer that is read: of one that is cut, undici says what it says of two lengths before. */
export function bodyError(error: unknown, signal: AbortSignal | undefined): unknown {
  const isShort = cluesOf(causes(error)).code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
  return exchangeError(isShort ? cutError() : error, signal)
}

/** The error of a connection that could not be opened: no request has left. */
export function openingError(error: unknown): unknown {
  const told = toTransportError(error)
  if (!(told instanceof TransportError) || !told.mayHaveArrived) return told
  const failure = told.message === NO_TLS ? 'wrong-scheme' : 'unreachable'
  return new TransportError(failure, told.message, { cause: error, permanent: told.permanent })
}

/** Turns an HTTP library's error into a TransportError; returns all other errors as they are. */
export function toTransportError(error: unknown): unknown {
  const chain = causes(error)
  // A plain TypeError is a programming mistake: network failures have a code or a cause.
  if (error instanceof TypeError && chain.length === 1 && !('code' in error)) return error
  const known = chain.find((cause) => cause instanceof TransportError)
  if (known) return known
  const { code, syscall, message } = cluesOf(chain)
  const said = `${code} ${message}`
  const reason = reasons.find((one) => one.said.test(said))
  const isConnecting = syscall === 'connect' || syscall === 'getaddrinfo'
  const failure = isConnecting ? 'unreachable' : (reason?.failure ?? 'interrupted')
  const plain = message
    .replace(NODE_ADVICE, '')
    .replace(OPENSSL, '$1')
    .replace(/^Parse Error: /, '')
  const words = reason?.words?.replace('$1', () => plain) ?? plain
  return new TransportError(failure, words, { cause: error, permanent: reason?.permanent ?? false })
}

/** The parts of an HTTP library's error that tell why an exchange failed. @returns `syscall`: the one that failed, or '' */
function cluesOf(chain: readonly unknown[]) {
  const texts = (name: string) =>
    chain.map((cause) => Reflect.get(Object(cause), name)).filter((text) => typeof text === 'string')
  // A TransportError has a code of its own, which says less than the one below it.
  const code = texts('code').find((found) => !found.startsWith('transport-')) ?? ''
  const [syscall = ''] = texts('syscall')
  return { code, syscall, message: texts('message').findLast((text) => text !== '') ?? code }
}

/** The error and its chain of causes; of several addresses tried, only the last failure. */
function causes(error: unknown): readonly unknown[] {
  const chain: unknown[] = []
  for (let cause = error; cause !== undefined && cause !== null && !chain.includes(cause); ) {
    chain.push(cause)
    cause = cause instanceof AggregateError ? cause.errors.at(-1) : cause instanceof Error ? cause.cause : undefined
  }
  return chain
}

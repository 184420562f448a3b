import { numberFrom } from '../../checks/options.ts'
import type { TransportFailure } from '../error-codes.ts'
import type { NamedProxy } from './proxy.ts'
import { TransportError } from './transport.ts'

/** The parts of an HTTP library's error that tell why an exchange failed. */
interface Clues {
  readonly code: string
  /** The system call that failed, or ''. */
  readonly syscall: string
  readonly message: string
}

/** The certificate is not trusted: the connection ends before a request is sent. */
const UNTRUSTED = /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT|HOSTNAME_MISMATCH)|_CERT(_|$)/
/** What Node 24 adds to some of them: its flag does not exist for who runs `fh`, and says nothing of `ca`. */
const NODE_ADVICE = /; if the root CA is installed locally, .*/
/** The other side does not speak TLS. */
const NOT_TLS = /wrong version number|packet length too long|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)/i
const PROXY_REFUSAL = /Proxy (response|Authentication)/i
/** An emulator of this process that is closed stays closed. */
const CLOSED = 'emulator-closed'
/** undici's error for an unrequested `100 Continue`, which every client has to accept (RFC 9110 15.2). */
const UNASKED_CONTINUE = /^UND_ERR_SOCKET bad response$/
const TIMEOUT = /^(ETIMEDOUT|UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT)$/

const NO_CONNECTION = 'no connection was made in time'
const CUT = 'the connection was cut'
/** A proxy lets nothing through without credentials. */
export const USER_MISSING = 'the proxy asks for a user name and a password: give them as http://user:password@host:port'

/** Plain words for the libraries' messages. */
const plainWords: readonly (readonly [RegExp, string])[] = [
  [/UND_ERR_HEADERS_TIMEOUT/, 'no answer came in time'],
  [/UND_ERR_BODY_TIMEOUT/, 'the answer stopped in the middle'],
  [/UND_ERR_CONNECT_TIMEOUT/, NO_CONNECTION],
  [NOT_TLS, 'the other side does not speak TLS on this port; is it http://?'],
  [/\(407\)/, USER_MISSING],
  [UNASKED_CONTINUE, 'the server sent 100 Continue unasked, which undici and fetch cannot read, but nodeTransport can'],
  [/^ECONNRESET aborted$|^ aborted$|other side closed|socket hang up/, CUT],
]

/** The port of a plain address speaks TLS. */
export class TlsPortError extends TransportError {}

/** A proxy, which its message names, did not let an exchange through. */
export class ThroughProxyError extends TransportError {
  readonly #place: string | undefined

  constructor(cause: TransportError, { url, place }: NamedProxy) {
    const named = `${new URL(url).host}${place === undefined ? '' : ` (${place})`}`
    const { failure, permanent, message } = cause
    super(failure, `through the proxy ${named}: ${message}`, { cause, permanent })
    this.#place = place
  }

  /** What names the proxy: a variable, a flag. */
  get place(): string | undefined {
    return this.#place
  }
}

/** Whether an exchange failed because the other side does not speak TLS. */
export function isNotTls(error: unknown): boolean {
  const { code, message } = cluesOf(causes(error))
  return NOT_TLS.test(`${code} ${message}`)
}

/** The address at which nothing listens, if that is why an exchange failed; '' where the system does not tell it. */
export function refusedAddress(error: unknown): string | undefined {
  const refusal = causes(error).find((cause) => Reflect.get(Object(cause), 'code') === 'ECONNREFUSED')
  return refusal === undefined ? undefined : String(Reflect.get(Object(refusal), 'address') ?? '')
}

/** The error of an exchange; `signal.reason` if the caller aborted it. */
export function exchangeError(error: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted ? signal.reason : toTransportError(error)
}

export const idleTimeoutCheck = numberFrom(1, 'milliseconds from 1 up')

/** No byte of an exchange moved for this long. */
export function idleTimeoutError(idleTimeoutMs: number): TransportError {
  return new TransportError('timeout', `nothing moved for ${idleTimeoutMs / 1_000} s`)
}

/** The connection ended before the answer did. */
export function cutError(): TransportError {
  return new TransportError('interrupted', CUT)
}

/** The other side does not answer the attempt to connect. */
export function connectTimeoutError(): TransportError {
  return new TransportError('unreachable', NO_CONNECTION)
}

/** The error of a connection that could not be opened: no request has left. */
export function openingError(error: unknown): unknown {
  const told = toTransportError(error)
  if (!(told instanceof TransportError) || !told.mayHaveArrived) return told
  const isPlain = isNotTls(error)
  return new TransportError(isPlain ? 'wrong-scheme' : 'unreachable', told.message, {
    cause: error,
    permanent: isPlain || told.permanent,
  })
}

/** Turns an HTTP library's error into a TransportError; returns all other errors as they are. */
export function toTransportError(error: unknown): unknown {
  const chain = causes(error)
  // A plain TypeError is a programming mistake: network failures have a code or a cause.
  if (error instanceof TypeError && chain.length === 1 && !('code' in error)) return error
  const known = chain.find((cause) => cause instanceof TransportError)
  if (known) return known
  const clues = cluesOf(chain)
  const failure = failureOf(clues)
  const said = `${clues.code} ${clues.message}`
  const isHopeless = failure === 'untrusted' || clues.code === CLOSED
  const permanent = isHopeless || PROXY_REFUSAL.test(clues.message) || UNASKED_CONTINUE.test(said)
  const words = plainWords.find(([pattern]) => pattern.test(said))?.[1] ?? clues.message.replace(NODE_ADVICE, '')
  return new TransportError(failure, words, { cause: error, permanent })
}

/** `unreachable` only for errors while connecting: on an open connection the same codes do not tell what has arrived. */
function failureOf({ code, syscall, message }: Clues): TransportFailure {
  if (UNTRUSTED.test(code)) return 'untrusted'
  if (code === CLOSED) return 'unreachable'
  if (syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT') return 'unreachable'
  if (PROXY_REFUSAL.test(message) || /before secure TLS connection/.test(message)) return 'unreachable'
  return TIMEOUT.test(code) ? 'timeout' : 'interrupted'
}

function cluesOf(chain: readonly unknown[]): Clues {
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

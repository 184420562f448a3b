import { TransportError, type TransportFailure } from './transport.ts'

/** What can be told from an error that an HTTP library threw of a failed exchange. */
interface Clues {
  readonly code: string
  /** The system call that failed, where one did. */
  readonly syscall: string
  readonly message: string
}

/** The certificate is not trusted: the connection is given up before anything is sent on it. */
const UNTRUSTED = /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT|HOSTNAME_MISMATCH)|_CERT(_|$)/
/** What stands where TLS should begin is no TLS. */
const NOT_TLS = /wrong version number|packet length too long|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)/i
const PROXY_REFUSAL = /Proxy (response|Authentication)/i
/** undici's word for a `100 Continue` that it did not ask for, which any client has to bear (RFC 9110 15.2). */
const UNASKED_CONTINUE = /^UND_ERR_SOCKET bad response$/
const TIMEOUT = /^(ETIMEDOUT|UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT)$/

const NO_CONNECTION = 'no connection came about in time'

/** Words for what libraries say in their own jargon. */
const plainWords: readonly (readonly [RegExp, string])[] = [
  [/UND_ERR_HEADERS_TIMEOUT/, 'no answer came in time'],
  [/UND_ERR_BODY_TIMEOUT/, 'the answer stopped in the middle'],
  [/UND_ERR_CONNECT_TIMEOUT/, NO_CONNECTION],
  [NOT_TLS, 'the other side does not speak TLS on this port; is it http://?'],
  [/\(407\)/, 'the proxy asks for a user name and a password: give them as http://user:password@host:port'],
  [UNASKED_CONTINUE, 'the server sent 100 Continue unasked, which undici and fetch cannot read, but nodeTransport can'],
  [/^ECONNRESET aborted$|^ aborted$|other side closed|socket hang up/, 'the connection was cut'],
]

/** Why an exchange ended: the caller's own reason where the caller aborted it. */
export function exchangeError(error: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted ? signal.reason : toTransportError(error)
}

/** An exchange is given up in which nothing has moved for so long. */
export function idleTimeoutError(idleTimeoutMs: number): TransportError {
  return new TransportError('timeout', `nothing moved for ${idleTimeoutMs / 1_000} s`)
}

/** Nobody answers to a wish to connect. */
export function connectTimeoutError(): TransportError {
  return new TransportError('unreachable', NO_CONNECTION)
}

/** Why a connection could not be opened: nothing of a request has left, whatever it was. */
export function openingError(error: unknown): unknown {
  const told = toTransportError(error)
  if (!(told instanceof TransportError) || !told.mayHaveArrived) return told
  const { code, message } = cluesOf(causes(error))
  const isPlain = NOT_TLS.test(`${code} ${message}`)
  return new TransportError(isPlain ? 'wrong-scheme' : 'unreachable', told.message, {
    cause: error,
    permanent: isPlain || told.permanent,
  })
}

/** Turns what an HTTP library throws of a failed exchange into a TransportError; all else stays as it is. */
export function toTransportError(error: unknown): unknown {
  const chain = causes(error)
  // A mistake in a program is no failure of the network, which is always some system's or library's code.
  if (error instanceof TypeError && chain.length === 1 && !('code' in error)) return error
  const known = chain.find((cause) => cause instanceof TransportError)
  if (known) return known
  const clues = cluesOf(chain)
  const failure = failureOf(clues)
  const said = `${clues.code} ${clues.message}`
  const permanent = failure === 'untrusted' || PROXY_REFUSAL.test(clues.message) || UNASKED_CONTINUE.test(said)
  const words = plainWords.find(([pattern]) => pattern.test(said))?.[1] ?? clues.message
  return new TransportError(failure, words, { cause: error, permanent })
}

/**
 * Unreachable is only what failed while the connection was being made: the same codes on an established connection say
 * nothing of what has arrived.
 */
function failureOf({ code, syscall, message }: Clues): TransportFailure {
  if (UNTRUSTED.test(code)) return 'untrusted'
  if (syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT') return 'unreachable'
  if (PROXY_REFUSAL.test(message) || /before secure TLS connection/.test(message)) return 'unreachable'
  return TIMEOUT.test(code) ? 'timeout' : 'interrupted'
}

function cluesOf(chain: readonly unknown[]): Clues {
  const texts = (name: string) =>
    chain.map((cause) => Reflect.get(Object(cause), name)).filter((text) => typeof text === 'string')
  const [code = ''] = texts('code')
  const [syscall = ''] = texts('syscall')
  return { code, syscall, message: texts('message').findLast((text) => text !== '') ?? code }
}

/** The error, what caused it, and what caused that; of several addresses tried, the last failure speaks for all. */
function causes(error: unknown): readonly unknown[] {
  const chain: unknown[] = []
  for (let cause = error; cause !== undefined && cause !== null && !chain.includes(cause); ) {
    chain.push(cause)
    cause = cause instanceof AggregateError ? cause.errors.at(-1) : cause instanceof Error ? cause.cause : undefined
  }
  return chain
}

import { TransportError, type TransportFailure } from './transport.ts'

/** Codes that mean the connection was never there: nothing of the request can have arrived. */
const UNREACHABLE =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EAI_FAIL|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ENETDOWN|UND_ERR_CONNECT_TIMEOUT|CERT_.*|.*_CERT.*|UNABLE_TO_.*|SELF_SIGNED.*|DEPTH_ZERO.*|HOSTNAME_MISMATCH|ERR_TLS_.*|ERR_SSL_.*|EPROTO)$/
const TIMEOUT = /^(ETIMEDOUT|ESOCKETTIMEDOUT|UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT)$/
/** Failures before the request was written that carry no code of their own. */
const BEFORE_REQUEST = /before secure TLS connection|Proxy response .* when HTTP Tunneling/i

/** Turns what an HTTP library throws of a failed exchange into a TransportError; all else stays as it is. */
export function toTransportError(error: unknown): unknown {
  const chain = causes(error)
  // A mistake in a program is no failure of the network, which is always some system's or library's code.
  if (error instanceof TypeError && chain.length === 1 && codeOf(error) === undefined) return error
  const known = chain.find((cause) => cause instanceof TransportError)
  if (known) return known
  const code = chain.map(codeOf).find((found) => found !== undefined)
  const innermost = chain.at(-1)
  const message = innermost instanceof Error && innermost.message !== '' ? innermost.message : (code ?? String(error))
  return new TransportError(failureOf(code, message), message, error)
}

function failureOf(code: string | undefined, message: string): TransportFailure {
  if (BEFORE_REQUEST.test(message)) return 'unreachable'
  if (code !== undefined && UNREACHABLE.test(code)) return 'unreachable'
  return code !== undefined && TIMEOUT.test(code) ? 'timeout' : 'interrupted'
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

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

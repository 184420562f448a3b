import { serviceMessages } from '../../src/protocol/error-bodies.ts'
import { rateHeaders, refusalMessages } from '../../src/protocol/rate-limits.ts'
import type { Refusal } from '../service/refusal.ts'
import type { HttpReply } from './exchange.ts'
import { exceptionReply, jsonReply } from './json.ts'

/** Everything that can be answered instead of what was asked for: the service's refusals and the wire's own. */
export type WireRefusal =
  | Refusal
  /** The path is not valid UTF-8 once it is decoded. */
  | { readonly kind: 'malformed-path' }
  /** A method override that is no method's name. */
  | { readonly kind: 'bad-method' }
  | { readonly kind: 'route-not-found'; readonly path: string }
  | {
      readonly kind: 'method-not-allowed'
      readonly method: string
      readonly path: string
      readonly allowed: readonly string[]
    }
  /** Larger than any upload can be, so large that it is not looked at. */
  | { readonly kind: 'body-too-large' }
  | { readonly kind: 'server-error' }

/** Marks an answer for an address the service does not have, so that an adapter can pass the request on. */
const unroutedHeader = 'X-Fh-Emulator'

/** Seconds after which a client is told to ask again while the API is disabled; the spec leaves the value open. */
const disabledRetryAfter = '60'

/**
 * The one place where kinds become statuses, shapes and words (spec 7).
 * @param now epoch milliseconds, from which `Retry-After` counts
 */
export function presentRefusal(refusal: WireRefusal, now: number): HttpReply {
  switch (refusal.kind) {
    case 'malformed-path':
      return exceptionReply(400, 'Malformed URL.')
    case 'bad-method':
      return exceptionReply(400, 'Bad request.')
    case 'invalid-key':
      return jsonReply(401, { error: serviceMessages.invalidKey })
    case 'suspended':
      return jsonReply(403, { error: refusal.reason ?? serviceMessages.suspended })
    case 'address-not-allowed':
      return jsonReply(403, { error: 'IP address not allowed.' })
    case 'route-not-found':
      return exceptionReply(404, `The route ${displayPath(refusal.path)} could not be found.`, {
        [unroutedHeader]: 'unrouted',
      })
    case 'upload-not-found':
      return exceptionReply(404, 'No query results for model [App\\Models\\Upload].')
    case 'method-not-allowed':
      return methodNotAllowed(refusal)
    case 'body-too-large':
      return exceptionReply(413, 'The POST data is too large.')
    case 'invalid-file':
      return jsonReply(422, { message: summary(refusal.messages), errors: { file: refusal.messages } })
    case 'quota-exceeded':
      return jsonReply(
        429,
        { error: refusalMessages[refusal.window] },
        { [rateHeaders.retryAfter]: String(Math.max(Math.ceil((refusal.retryAt - now) / 1_000), 1)) },
      )
    case 'server-error':
      return exceptionReply(500, 'Server Error')
    case 'api-disabled':
      return jsonReply(503, { error: serviceMessages.apiDisabled }, { [rateHeaders.retryAfter]: disabledRetryAfter })
  }
}

function methodNotAllowed(refusal: Extract<WireRefusal, { kind: 'method-not-allowed' }>): HttpReply {
  const allowed = refusal.allowed.join(', ')
  const message = `The ${refusal.method} method is not supported for route ${displayPath(refusal.path)}.`
  return exceptionReply(405, `${message} Supported methods: ${allowed}.`, { Allow: allowed })
}

/** The framework names routes without the slashes around them. */
function displayPath(path: string): string {
  return path.replace(/^\/+|\/+$/g, '') || '/'
}

/** The first message stands for all, with a count of the others. */
function summary(messages: readonly string[]): string {
  const [first = '', ...others] = messages
  if (others.length === 0) return first
  return `${first} (and ${others.length} more ${others.length === 1 ? 'error' : 'errors'})`
}

import { ConnectionResetError } from '../http/request/request-body.ts'
import { type ErrorContext, exceptionReply, webServerReply } from '../http/response/framework-errors.ts'
import { presentRefusal, type WireRefusal } from '../http/response/refusals.ts'
import { hasNoBody, jsonReply, reasonPhrase } from '../http/response/reply.ts'
import type { HttpReply } from '../http-types.ts'
import type { Settings } from '../settings/settings.ts'
import type { AnswerInstead, FaultAction } from './fault.ts'

/** A request that matched a fault: to the API before its quota check, to the website before its page. */
export interface FaultedRequest {
  readonly settings: Settings
  /** Reads and discards the body, or its first bytes. */
  receive(mostBytes?: number): Promise<void>
  /** The reply that usually has this status. */
  usualReply(status: number): HttpReply
  /** Waits on the emulator's clock; rejects if the client disconnects first. */
  pass(ms: number): Promise<void>
}

/**
 * Applies a fault before the service charges the request, or the website answers it.
 * @returns the reply that replaces the service's, or undefined if the service answers
 * @throws ConnectionResetError if the fault resets the connection
 */
export async function applyFault(action: FaultAction, struck: FaultedRequest): Promise<HttpReply | undefined> {
  switch (action.type) {
    case 'status':
      await struck.receive()
      return answerInstead(action, struck)
    case 'html_error':
      await struck.receive()
      return webServerAnswer(action.status ?? 502)
    case 'early_response':
      await struck.receive(action.bytes ?? 0)
      return answerInstead({ ...action, status: action.status ?? 503 }, struck)
    case 'reset_after_body_bytes':
      await struck.receive(action.bytes)
      throw new ConnectionResetError('A fault broke the connection in the middle of the request')
    case 'delay':
      await struck.pass(action.ms)
      return undefined
    default:
      return undefined
  }
}

function answerInstead({ status, body, headers = {} }: AnswerInstead, struck: FaultedRequest): HttpReply {
  if (hasNoBody(status)) return { status, headers, body: null }
  if (body === undefined) {
    const usual = struck.usualReply(status)
    return { ...usual, headers: { ...usual.headers, ...headers } }
  }
  if (typeof body === 'string') {
    return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers }, body }
  }
  return jsonReply(status, body, { style: struck.settings.json_style, headers })
}

function webServerAnswer(status: number): HttpReply {
  return hasNoBody(status) ? { status, headers: {}, body: null } : webServerReply(status)
}

/** The service's own reply with this status, if it has one (spec 7). */
export function serviceReply(status: number, context: ErrorContext): HttpReply {
  const refusal = usualRefusal(status, context.now)
  if (refusal !== undefined) return presentRefusal(refusal, context)
  return exceptionReply({ status, message: reasonPhrase(status) }, context)
}

/** The Retry-After of a 429 that no quota window caused. */
const minuteMs = 60_000

function usualRefusal(status: number, now: number): WireRefusal | undefined {
  switch (status) {
    case 401:
      return { kind: 'invalid-key' }
    case 403:
      return { kind: 'suspended', reason: null }
    case 422:
      return { kind: 'invalid-file', problems: [{ kind: 'incomplete' }], oversized: false }
    case 429:
      return { kind: 'quota-exceeded', window: 'minute', retryAt: now + minuteMs }
    case 500:
      return { kind: 'server-error' }
    case 503:
      return { kind: 'api-disabled' }
    default:
      return undefined
  }
}

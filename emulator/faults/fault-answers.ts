import { STATUS_CODES } from 'node:http'
import { ConnectionResetError } from '../http/request/request-body.ts'
import { type AnswerContext, exceptionReply, webServerReply } from '../http/response/framework-errors.ts'
import { jsonReply } from '../http/response/json.ts'
import { presentRefusal, type WireRefusal } from '../http/response/refusals.ts'
import type { HttpReply } from '../http-types.ts'
import type { AnswerInstead, FaultAction } from './fault.ts'

/** A struck request, where it came to the quota. */
export interface StruckRequest extends AnswerContext {
  readonly body: AsyncIterable<Uint8Array>
  /** Lets milliseconds pass, unless the client goes away first. */
  pass(ms: number): Promise<void>
}

/**
 * What a fault does to a request before the service charges it.
 * @returns the answer in place of the service's; undefined where the service goes on
 * @throws ConnectionResetError where the connection is to break
 */
export async function meetFault(action: FaultAction, struck: StruckRequest): Promise<HttpReply | undefined> {
  switch (action.type) {
    case 'status':
      await receive(struck.body)
      return answerInstead(action, struck)
    case 'html_error':
      await receive(struck.body)
      return webServerAnswer(action.status ?? 502)
    case 'early_response':
      await receive(struck.body, action.bytes ?? 0)
      return answerInstead({ ...action, status: action.status ?? 503 }, struck)
    case 'reset_after_body_bytes':
      await receive(struck.body, action.bytes)
      throw new ConnectionResetError('The connection was broken in the middle of the request, as a fault wants it')
    case 'delay':
      await struck.pass(action.ms)
      return undefined
    default:
      return undefined
  }
}

/** Reads and forgets a body, to its end or until so much of it has arrived. */
async function receive(body: AsyncIterable<Uint8Array>, bytes = Number.POSITIVE_INFINITY): Promise<void> {
  if (bytes === 0) return
  let received = 0
  for await (const chunk of body) {
    received += chunk.length
    if (received >= bytes) return
  }
}

function answerInstead({ status, body, headers = {} }: AnswerInstead, context: AnswerContext): HttpReply {
  if (isBodiless(status)) return { status, headers, body: null }
  if (body === undefined) {
    const usual = usualReply(status, context)
    return { ...usual, headers: { ...usual.headers, ...headers } }
  }
  if (typeof body === 'string') {
    return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers }, body }
  }
  return jsonReply(status, body, { style: context.settings.json_style, headers })
}

function webServerAnswer(status: number): HttpReply {
  return isBodiless(status) ? { status, headers: {}, body: null } : webServerReply(status)
}

function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304
}

/** As the service itself would answer with the status, where it has words for it (spec 7). */
function usualReply(status: number, context: AnswerContext): HttpReply {
  const refusal = usualRefusal(status, context.now)
  if (refusal !== undefined) return presentRefusal(refusal, context)
  return exceptionReply({ status, message: STATUS_CODES[status] ?? '' }, context)
}

/** How long a request is told to wait that was refused for no reason. */
const minuteMs = 60_000

function usualRefusal(status: number, now: number): WireRefusal | undefined {
  switch (status) {
    case 401:
      return { kind: 'invalid-key' }
    case 403:
      return { kind: 'suspended', reason: null }
    case 422:
      return { kind: 'invalid-file', messages: ['The file failed to upload.'], oversized: false }
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

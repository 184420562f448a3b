import type { EmulatorClock } from '../clock.ts'
import { ConnectionResetError } from '../http/request/request-body.ts'
import type { HttpReply, HttpRequest } from '../http-types.ts'
import { nextTurn } from '../next-turn.ts'
import type { FaultAction } from './fault.ts'

interface DistortionContext {
  readonly request: HttpRequest
  readonly clock: EmulatorClock
}

/**
 * What a fault makes of the service's finished answer; an answer without a body keeps it that way.
 * @throws ConnectionResetError where the client is to hear nothing of it
 */
export function distort(action: FaultAction, reply: HttpReply, { request, clock }: DistortionContext): HttpReply {
  if (action.type === 'commit_then_drop') {
    throw new ConnectionResetError('The connection was broken before the answer was sent, as a fault wants it')
  }
  const bytes = bytesOf(reply)
  if (bytes === undefined) return reply
  switch (action.type) {
    case 'truncate_response':
      return { ...reply, body: cutShort(bytes.subarray(0, action.bytes ?? bytes.length >> 1)) }
    case 'malformed_json':
      return withLength(reply, bytes.subarray(0, -1), bytes.length - 1)
    case 'wrong_content_length':
      return misdeclared(reply, bytes, { declared: Math.max(bytes.length + (action.bytes ?? 1), 0), request })
    case 'slow_body':
      return { ...reply, body: dribbled(bytes, { ms: action.ms, size: action.bytes ?? 1, request, clock }) }
    default:
      return reply
  }
}

/** Undefined where there is no body to spoil. */
function bytesOf({ body }: HttpReply): Uint8Array | undefined {
  if (typeof body === 'string' && body !== '') return Buffer.from(body)
  return body instanceof Uint8Array && body.length > 0 ? body : undefined
}

function withLength(reply: HttpReply, body: HttpReply['body'], length: number): HttpReply {
  return { ...reply, headers: { ...reply.headers, 'Content-Length': String(length) }, body }
}

interface Misdeclaration {
  readonly declared: number
  readonly request: HttpRequest
}

/** Too long a length is followed by the end of the connection, or its client would wait for ever. */
function misdeclared(reply: HttpReply, bytes: Uint8Array, { declared, request }: Misdeclaration): HttpReply {
  if (declared > bytes.length) return withLength(reply, cutShort(bytes), declared)
  const isFramed = request.localPort !== undefined
  return withLength(reply, isFramed ? bytes : bytes.subarray(0, declared), declared)
}

/** These bytes, and then the end of the connection. */
async function* cutShort(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
  // What was written has to leave before the connection ends.
  await nextTurn()
  throw new ConnectionResetError('The connection was broken in the middle of the answer, as a fault wants it')
}

interface Dribble {
  readonly ms: number
  readonly size: number
  readonly request: HttpRequest
  readonly clock: EmulatorClock
}

/** A few bytes at a time; who no longer reads ends the waiting. */
function dribbled(bytes: Uint8Array, { ms, size, request, clock }: Dribble): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const closed = new AbortController()
      const departed = request.departure?.()
      const signal = departed === undefined ? closed.signal : AbortSignal.any([closed.signal, departed])
      let sent = 0
      return {
        async next() {
          if (sent >= bytes.length) return { done: true, value: undefined }
          if (sent > 0) await clock.pass(ms, signal)
          const value = bytes.subarray(sent, sent + size)
          sent += value.length
          return { done: false, value }
        },
        async return() {
          closed.abort()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

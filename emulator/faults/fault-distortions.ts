import type { EmulatorClock } from '../clock/clock.ts'
import { nextTurn } from '../clock/next-turn.ts'
import { ConnectionResetError } from '../http/request/request-body.ts'
import type { HttpReply, HttpRequest } from '../http-types.ts'
import type { FaultAction } from './fault.ts'

interface DistortionContext {
  readonly request: HttpRequest
  readonly clock: EmulatorClock
}

/**
 * Changes the finished reply as the fault says; a reply without a body stays as it is.
 * @throws ConnectionResetError if the client gets no reply
 */
export function distort(action: FaultAction, reply: HttpReply, { request, clock }: DistortionContext): HttpReply {
  if (action.type === 'commit_then_drop') {
    throw new ConnectionResetError('A fault broke the connection before the answer was sent')
  }
  const bytes = bytesOf(reply)
  if (bytes === undefined) return reply
  switch (action.type) {
    case 'truncate_response':
      return { ...reply, body: thenBroken(bytes.subarray(0, action.bytes ?? bytes.length >> 1)) }
    case 'malformed_json':
      return withLength(reply, bytes.subarray(0, -1), bytes.length - 1)
    case 'wrong_content_length':
      return withWrongLength(reply, bytes, { declared: Math.max(bytes.length + (action.bytes ?? 1), 0), request })
    case 'slow_body':
      return { ...reply, body: slowBody(bytes, { ms: action.ms, size: action.bytes ?? 1, request, clock }) }
    default:
      return reply
  }
}

/** Undefined for an empty or streamed body. */
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

/** If the declared length is too long, the connection ends after the body; otherwise the client would wait forever. */
function withWrongLength(reply: HttpReply, bytes: Uint8Array, { declared, request }: Misdeclaration): HttpReply {
  if (declared > bytes.length) return withLength(reply, thenBroken(bytes), declared)
  const isFramed = request.localPort !== undefined
  return withLength(reply, isFramed ? bytes : bytes.subarray(0, declared), declared)
}

/** Sends the bytes, then breaks the connection. */
async function* thenBroken(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
  // Lets the bytes leave before the connection breaks.
  await nextTurn()
  throw new ConnectionResetError('A fault broke the connection in the middle of the answer')
}

interface SlowBody {
  readonly ms: number
  readonly size: number
  readonly request: HttpRequest
  readonly clock: EmulatorClock
}

/** Sends `size` bytes every `ms` milliseconds; stops waiting when the reader leaves. */
function slowBody(bytes: Uint8Array, { ms, size, request, clock }: SlowBody): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const closed = new AbortController()
      const clientGone = request.clientGone?.()
      const signal = clientGone === undefined ? closed.signal : AbortSignal.any([closed.signal, clientGone])
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

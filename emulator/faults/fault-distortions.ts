import { setImmediate as nextTurn } from 'node:timers/promises'
import { isUint8Array } from 'node:util/types'
import type { EmulatorClock } from '../clock/clock.ts'
import type { Delay } from '../http/delay.ts'
import { ConnectionResetError } from '../http/request/request-body.ts'
import type { HttpReply, HttpRequest, ReplyBody } from '../http-types.ts'
import type { FaultAction } from './fault.ts'

interface DistortionContext {
  readonly request: HttpRequest
  readonly clock: Pick<EmulatorClock, 'beginRequest'>
  readonly delay: Delay
}

/**
 * Changes the finished reply as the fault says; a reply without a body stays as it is.
 * @throws ConnectionResetError if the client gets no reply
 */
export function distort(action: FaultAction, reply: HttpReply, context: DistortionContext): HttpReply {
  if (action.type === 'commit_then_drop') {
    throw new ConnectionResetError('A fault broke the connection before the answer was sent')
  }
  const length = lengthOf(reply)
  if (length === 0) return reply
  const { body } = reply
  switch (action.type) {
    case 'truncate_response':
      return { ...reply, body: thenBroken(firstBytes(body, action.bytes ?? length >> 1)) }
    case 'malformed_json':
      return withLength(reply, firstBytes(body, length - 1), length - 1)
    case 'wrong_content_length':
      return withWrongLength(reply, length, { declared: Math.max(length + (action.bytes ?? 1), 0), ...context })
    case 'slow_body':
      return { ...reply, body: slowly(piecesOf(body), { ms: action.ms, size: action.bytes ?? 1, ...context }) }
    default:
      return reply
  }
}

/** The length of the body as sent; a streamed one is as long as its reply declares. */
function lengthOf({ body, headers }: HttpReply): number {
  if (body === null) return 0
  if (typeof body === 'string' || isUint8Array(body)) return Buffer.byteLength(body)
  return Number(headers['Content-Length'] ?? 0)
}

function withLength(reply: HttpReply, body: HttpReply['body'], length: number): HttpReply {
  return { ...reply, headers: { ...reply.headers, 'Content-Length': String(length) }, body }
}

interface Misdeclaration extends Pick<DistortionContext, 'request'> {
  readonly declared: number
}

/** If the declared length is too long, the connection ends after the body; otherwise the client would wait forever. */
function withWrongLength(reply: HttpReply, length: number, { declared, request }: Misdeclaration): HttpReply {
  const { body } = reply
  if (declared > length) return withLength(reply, thenBroken(piecesOf(body)), declared)
  const isFramed = request.localPort !== undefined
  return withLength(reply, isFramed ? body : firstBytes(body, declared), declared)
}

type Pieces = AsyncIterable<Uint8Array>

function piecesOf(body: ReplyBody): Pieces {
  return body === null || typeof body === 'string' || isUint8Array(body) ? onePiece(body ?? '') : body
}

async function* onePiece(body: string | Uint8Array): Pieces {
  yield Buffer.from(body)
}

/** Closes its source after these bytes. */
async function* firstBytes(body: ReplyBody, count: number): Pieces {
  let left = count
  for await (const piece of piecesOf(body)) {
    yield piece.subarray(0, left)
    left -= piece.length
    if (left <= 0) return
  }
}

/** Sends the bytes, then breaks the connection. */
async function* thenBroken(pieces: Pieces): Pieces {
  yield* pieces
  // Lets the bytes leave before the connection breaks.
  await nextTurn()
  throw new ConnectionResetError('A fault broke the connection in the middle of the answer')
}

interface SlowBody extends DistortionContext {
  readonly ms: number
  readonly size: number
}

/** Sends `size` bytes every `ms` milliseconds; stops waiting, and closes its source, when the client leaves. */
async function* slowly(pieces: Pieces, { ms, size, request, clock, delay }: SlowBody): Pieces {
  let isFirst = true
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += size) {
      if (!isFirst) {
        const end = clock.beginRequest()
        await delay(ms, request).finally(end)
      }
      isFirst = false
      yield piece.subarray(at, at + size)
    }
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import { isUint8Array } from 'node:util/types'
import type { EmulatorClock } from '../clock/clock.ts'
import { ConnectionResetError, type HttpRequest, type HttpResponse, type ResponseBody } from '../http.ts'
import type { FaultAction } from './fault.ts'

/**
 * Holds an answer back on the service's clock.
 * @throws RequestAbortedError if the client disconnects first, ConnectionResetError if the emulator closes first
 */
export type Delay = (ms: number, request: HttpRequest) => Promise<void>

interface DistortionContext {
  readonly request: HttpRequest
  readonly clock: Pick<EmulatorClock, 'beginRequest'>
  readonly delay: Delay
}

/**
 * Changes the finished response as the fault says; a response without a body stays as it is.
 * @throws ConnectionResetError if the client gets no response
 */
export function distort(action: FaultAction, response: HttpResponse, context: DistortionContext): HttpResponse {
  if (action.type === 'commit_then_drop') {
    throw new ConnectionResetError('A fault broke the connection before the answer was sent')
  }
  const length = lengthOf(response)
  if (length === 0) return response
  const { body } = response
  switch (action.type) {
    case 'truncate_response':
      return { ...response, body: thenBroken(firstBytes(body, action.bytes ?? length >> 1)) }
    case 'malformed_json':
      return withLength(response, firstBytes(body, length - 1), length - 1)
    case 'wrong_content_length': {
      const declared = Math.max(length + (action.bytes ?? 1), 0)
      // The connection ends after the body; otherwise the client would wait forever.
      if (declared > length) return withLength(response, thenBroken(piecesOf(body)), declared)
      const isFramed = context.request.localPort !== undefined
      return withLength(response, isFramed ? body : firstBytes(body, declared), declared)
    }
    case 'slow_body':
      return { ...response, body: slowly(body, { ms: action.ms, size: action.bytes ?? 1 }, context) }
    default:
      return response
  }
}

/** The length of the body as sent; a streamed one is as long as its response declares. */
function lengthOf({ body, headers }: HttpResponse): number {
  if (body === null) return 0
  if (typeof body === 'string' || isUint8Array(body)) return Buffer.byteLength(body)
  return Number(headers['Content-Length'] ?? 0)
}

function withLength(response: HttpResponse, body: ResponseBody, length: number): HttpResponse {
  return { ...response, headers: { ...response.headers, 'Content-Length': String(length) }, body }
}

type Pieces = AsyncIterable<Uint8Array>

async function* piecesOf(body: ResponseBody): Pieces {
  if (typeof body === 'string' || isUint8Array(body)) yield Buffer.from(body as string)
  else if (body !== null) yield* body
}

/** Closes its source after these bytes. */
async function* firstBytes(body: ResponseBody, count: number): Pieces {
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

/** Sends `size` bytes every `ms` milliseconds; stops waiting, and closes its source, when the client leaves. */
async function* slowly(
  body: ResponseBody,
  { ms, size }: { readonly ms: number; readonly size: number },
  { request, clock, delay }: DistortionContext,
): Pieces {
  let isFirst = true
  for await (const piece of piecesOf(body)) {
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

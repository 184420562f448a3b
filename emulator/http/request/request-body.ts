import { type HttpRequest, RequestAbortedError } from '../../http-types.ts'
import type { Settings } from '../../settings/settings.ts'

/** Thrown to reset the connection instead of answering. */
export class ConnectionResetError extends Error {
  override readonly name = 'ConnectionResetError'
  /** The system's code, by which callers in the same process recognise a reset. */
  readonly code = 'ECONNRESET'
}

/** The body has no declared length and is larger than any upload may be. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError'
}

/** How much larger than its file a form may be. */
const formAllowanceBytes = 10 * 1_048_576

/** How much larger than its file a form with no other field is, generously. */
const formOverheadBytes = 65_536

/** How large a body's declared and its received length may be, in bytes. */
export function bodyLimits({ max_file_size, oversize }: Settings) {
  // `reset` breaks the connection inside the file, so a declared length is not refused.
  if (oversize === 'reset') return { declared: Number.POSITIVE_INFINITY, received: max_file_size + formOverheadBytes }
  return { declared: max_file_size + formAllowanceBytes, received: max_file_size + formAllowanceBytes }
}

/** The body's declared length in bytes; 0 if none is declared. */
export function declaredLength(request: HttpRequest): number {
  return Number(request.headers['content-length'] ?? 0) || 0
}

/**
 * The body in chunks.
 * @param tap gets each of them first
 * @throws RequestAbortedError, BodyTooLargeError
 */
export async function* receiveBody(
  request: HttpRequest,
  maxBytes: number,
  tap?: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  let received = 0
  try {
    for await (const chunk of request.body) {
      received += chunk.length
      tap?.(chunk)
      if (received > maxBytes) throw new BodyTooLargeError(`The body is larger than ${maxBytes} bytes`)
      yield chunk
    }
  } catch (cause) {
    if (cause instanceof BodyTooLargeError) throw cause
    throw new RequestAbortedError('The client disconnected before its request had arrived', { cause })
  }
}

/**
 * The whole body; undefined if it is larger.
 * @throws RequestAbortedError
 */
export async function receiveWhole(request: HttpRequest, maxBytes: number): Promise<Buffer | undefined> {
  try {
    return Buffer.concat(await Array.fromAsync(receiveBody(request, maxBytes)))
  } catch (error) {
    if (error instanceof BodyTooLargeError) return undefined
    throw error
  }
}

/** Longer texts are read to their end, but only this much is kept. */
export const maxTextBytes = 1_048_576

/** The body as text, cut after {@link maxTextBytes}. */
export async function receiveText(body: AsyncIterable<Uint8Array>, encoding: 'utf8' | 'latin1' = 'utf8') {
  const chunks: Uint8Array[] = []
  let kept = 0
  for await (const chunk of body) {
    if (kept >= maxTextBytes) continue
    chunks.push(chunk)
    kept += chunk.length
  }
  return Buffer.concat(chunks).toString(encoding, 0, maxTextBytes)
}

import { type HttpRequest, RequestAbortedError } from '../../http-types.ts'
import type { Settings } from '../../settings/settings.ts'

/** The connection is to be broken as if the network had done it; nobody is answered. */
export class ConnectionResetError extends Error {
  override readonly name = 'ConnectionResetError'
  /** As the system calls it, so that who called within this process can tell it is no mistake of a program. */
  readonly code = 'ECONNRESET'
}

/** A body without a declared length turned out larger than any upload may be. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError'
}

/** What a form may weigh beyond the file in it. */
const formAllowanceBytes = 10 * 1_048_576

/** What a form with nothing but a file in it weighs beyond that file, generously. */
const formOverheadBytes = 65_536

/** How many bytes a body may declare, and how many it may turn out to have. */
export function bodyLimits({ max_file_size, oversize }: Settings): {
  readonly declared: number
  readonly received: number
} {
  // A connection that is to break in the middle of a file has to get that far.
  if (oversize === 'reset') return { declared: Number.POSITIVE_INFINITY, received: max_file_size + formOverheadBytes }
  return { declared: max_file_size + formAllowanceBytes, received: max_file_size + formAllowanceBytes }
}

/** The declared length of a body in bytes; 0 where none is declared. */
export function declaredLength(request: HttpRequest): number {
  return Number(request.headers['content-length'] ?? 0) || 0
}

/**
 * The body as it arrives.
 * @throws RequestAbortedError, BodyTooLargeError
 */
export async function* receiveBody(request: HttpRequest, maxBytes: number): AsyncGenerator<Uint8Array> {
  let received = 0
  try {
    for await (const chunk of request.body) {
      received += chunk.length
      if (received > maxBytes) throw new BodyTooLargeError(`The body is larger than ${maxBytes} bytes`)
      yield chunk
    }
  } catch (cause) {
    if (cause instanceof BodyTooLargeError) throw cause
    throw new RequestAbortedError('The client went away before its request had arrived', { cause })
  }
}

/** Texts are kept up to this; what follows is read and dropped. */
export const longestTextBytes = 1_048_576

/** A body that is text, as far as it is of reasonable length. */
export async function receiveText(
  body: AsyncIterable<Uint8Array>,
  encoding: 'utf8' | 'latin1' = 'utf8',
): Promise<string> {
  const chunks: Uint8Array[] = []
  let kept = 0
  for await (const chunk of body) {
    if (kept >= longestTextBytes) continue
    chunks.push(chunk)
    kept += chunk.length
  }
  return Buffer.concat(chunks).toString(encoding, 0, longestTextBytes)
}

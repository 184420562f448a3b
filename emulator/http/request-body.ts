import type { HttpRequest } from './exchange.ts'

/** The client went away before its request had arrived; there is nobody to answer. */
export class RequestAbortedError extends Error {
  override readonly name = 'RequestAbortedError'
}

/** A body without a declared length turned out larger than any upload may be. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError'
}

/** What a form may weigh beyond the file in it; the same allowance decides by the declared length. */
export const formAllowanceBytes = 10 * 1_048_576

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
const longestTextBytes = 1_048_576

/** A body that is text, as far as it is of reasonable length. */
export async function receiveText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let kept = 0
  for await (const chunk of body) {
    if (kept >= longestTextBytes) continue
    chunks.push(chunk)
    kept += chunk.length
  }
  return Buffer.concat(chunks).toString('utf8', 0, longestTextBytes)
}

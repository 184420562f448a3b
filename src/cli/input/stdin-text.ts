import type { Readable } from 'node:stream'

/**
 * Reads a stream to its end.
 * @param most stops after so many bytes, with the chunk that passes them: a pipe may never end
 * @throws the reason of `stopping`: a pipe may stay open for ever
 */
export async function readAll(
  stream: Readable,
  stopping: AbortSignal,
  most = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
  stopping.throwIfAborted()
  const stop = () => stream.destroy(stopping.reason)
  stopping.addEventListener('abort', stop)
  try {
    const chunks: Buffer[] = []
    let length = 0
    for await (const chunk of stream) {
      chunks.push(chunk)
      length += chunk.length
      if (length > most) break
    }
    return Buffer.concat(chunks)
  } finally {
    stopping.removeEventListener('abort', stop)
  }
}

import type { Readable } from 'node:stream'

/** Reads to the end, for which a pipe may let one wait as long as its other side is open. */
export async function readAll(stream: Readable, stopping: AbortSignal): Promise<Buffer> {
  stopping.throwIfAborted()
  const stop = () => stream.destroy(stopping.reason)
  stopping.addEventListener('abort', stop)
  try {
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk)
    return Buffer.concat(chunks)
  } finally {
    stopping.removeEventListener('abort', stop)
  }
}

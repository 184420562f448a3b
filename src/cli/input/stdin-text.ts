import type { Readable } from 'node:stream'

/** Reads a stream to its end. @throws the reason of `stopping`: a pipe may stay open for ever */
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

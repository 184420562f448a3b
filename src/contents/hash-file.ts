import { createHash } from 'node:crypto'
import { closeFile, openWithoutWaiting, readInto, statOfOpen } from '../system/file-calls.ts'

/** Fewer, larger reads are faster; beyond this size the gain ends. */
const CHUNK_BYTES = 1_048_576

/** The SHA-256 of a regular file, in hex. Rejects with the file system's error or the signal's reason. */
export async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const file = await openWithoutWaiting(path)
  try {
    if (!(await statOfOpen(file)).isFile()) throw new Error(`${path} is not a regular file`)
    const hash = createHash('sha256')
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    for (;;) {
      signal.throwIfAborted()
      const { bytesRead } = await readInto(file, chunk, 0, chunk.length, null)
      if (bytesRead === 0) return hash.digest('hex')
      hash.update(chunk.subarray(0, bytesRead))
    }
  } finally {
    await closeFile(file)
  }
}

import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** Fewer, larger reads are faster; beyond this size the gain ends. */
const CHUNK_BYTES = 1_048_576

/** Opening a pipe without a writer would otherwise block for ever. */
const READ_WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** The SHA-256 of a regular file, in hex. Rejects with the file system's error or the signal's reason. */
export async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const file = await open(path, READ_WITHOUT_WAITING)
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is not a regular file`)
    const hash = createHash('sha256')
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    for (;;) {
      signal.throwIfAborted()
      const { bytesRead } = await file.read(chunk, 0, chunk.length, null)
      if (bytesRead === 0) return hash.digest('hex')
      hash.update(chunk.subarray(0, bytesRead))
    }
  } finally {
    await file.close()
  }
}

import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { closeFile, openWithoutWaiting, readInto, statOf, statOfOpen } from '../system/files.ts'

/** Fewer, larger reads are faster; beyond this size the gain ends. */
const CHUNK_BYTES = 1_048_576

/**
 * Gives the SHA-256 of a regular file, in hex; the file is read again only where it may have changed since. Rejects with the
 * file system's error or the signal's reason.
 */
export function createHasher(path: string): (signal: AbortSignal) => Promise<string> {
  let last: Awaited<ReturnType<typeof readHash>> | undefined
  return async (signal) => {
    if (last === undefined || !isSame(last.stats, await statOf(path))) last = await readHash(path, signal)
    return last.sha256
  }
}

async function readHash(path: string, signal: AbortSignal) {
  const file = await openWithoutWaiting(path)
  try {
    const stats = await statOfOpen(file)
    if (!stats.isFile()) throw new Error(`${path} is not a regular file`)
    const hash = createHash('sha256')
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    for (;;) {
      signal.throwIfAborted()
      const { bytesRead } = await readInto(file, chunk, 0, chunk.length, null)
      if (bytesRead === 0) return { sha256: hash.digest('hex'), stats }
      hash.update(chunk.subarray(0, bytesRead))
    }
  } finally {
    await closeFile(file)
  }
}

/** A file whose content is written has another time of its inode, also where its other time is set back. */
function isSame(one: Stats, other: Stats): boolean {
  return (
    one.ino === other.ino && one.size === other.size && one.mtimeMs === other.mtimeMs && one.ctimeMs === other.ctimeMs
  )
}

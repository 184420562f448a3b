import { type FileHandle, open } from 'node:fs/promises'

/** Bytes are gathered up to this before they are written, and small files stay in memory until they are complete. */
export const gatheredBytes = 1_048_576

/** A file that only its owner may read, and that must not have existed. */
export function createPrivateFile(path: string): Promise<FileHandle> {
  return open(path, 'wx', 0o600)
}

/**
 * Gathered into one call of the system, which is what makes it fast.
 * @throws Error where the disk has no room for all of it; the file, which has a part, is the caller's to remove
 */
export async function writeAll(handle: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  const total = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const { bytesWritten } = await handle.writev([...chunks])
  if (bytesWritten < total) throw new Error(`Only ${bytesWritten} of ${total} bytes could be written`)
}

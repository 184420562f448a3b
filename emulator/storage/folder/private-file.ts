import { type FileHandle, open } from 'node:fs/promises'

/**
 * Bytes are collected up to this size before they are written; smaller files stay in memory until they are complete.
 */
export const bufferBytes = 1_048_576

/** Creates a file that only its owner may read; fails if it exists. */
export function createPrivateFile(path: string): Promise<FileHandle> {
  return open(path, 'wx', 0o600)
}

/**
 * Writes all chunks in one system call, for speed.
 * @throws Error if the disk is full; the caller removes the incomplete file
 */
export async function writeAll(handle: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  const total = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const { bytesWritten } = await handle.writev([...chunks])
  if (bytesWritten < total) throw new Error(`Only ${bytesWritten} of ${total} bytes could be written`)
}

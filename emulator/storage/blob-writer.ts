import { randomBytes } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import type { BlobWriter } from './blob-store.ts'

export interface BlobWriterContext {
  /** Where the bytes are gathered before the blob exists; asked when the first of them are written. */
  draft(id: string): Promise<string>
  /** Whether bytes may be stored; asked right before some are written. */
  hasRoom?(): boolean
  /** Whether the bytes have to survive a power failure. */
  readonly isDurable?: boolean
  /** Makes a small blob exist without a file. Default: every blob is a file. */
  publishSmall?(id: string, bytes: Buffer): void
  /** Makes the blob exist, from its complete file. */
  publish(id: string, draft: string): Promise<void> | void
}

/** Bytes read from a file at a time. */
export const readBytes = 262_144

/**
 * Bytes are collected up to this size before they are written; smaller files stay in memory until they are complete.
 */
export const bufferBytes = 1_048_576

/** Gathers the bytes of a blob and writes them to a private file in large pieces. */
export function createBlobWriter(context: BlobWriterContext): BlobWriter {
  const { draft, hasRoom, isDurable = false, publishSmall, publish } = context
  const id = randomBytes(16).toString('hex')
  let gathered: Uint8Array[] = []
  let bytes = 0
  let written: { readonly path: string; readonly file: FileHandle } | undefined
  let isCommitted = false

  const flush = async () => {
    if (written === undefined) {
      const path = await draft(id)
      // Fails if the file exists.
      written = { path, file: await open(path, 'wx', 0o600) }
    }
    if (hasRoom?.() === false) throw new Error('The disk is full: delete something to make room')
    const chunks = gathered
    gathered = []
    bytes = 0
    if (chunks.length > 0) await writeAll(written.file, chunks)
    return written
  }

  const discard = async () => {
    gathered = []
    if (isCommitted || written === undefined) return
    // A full disk may fail only at the close; the file is removed all the same.
    await written.file.close().catch(() => {})
    await rm(written.path, { force: true })
  }
  /** Discards the blob when a write fails: the caller need not, and a full disk has no room for it. */
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      // The original error matters more than a failed removal.
      await discard().catch(() => {})
      throw error
    }
  }

  return {
    id,
    write: (chunk) =>
      attempt(async () => {
        gathered.push(chunk)
        bytes += chunk.length
        if (bytes > bufferBytes) await flush()
      }),
    commit: () =>
      attempt(async () => {
        if (written === undefined && publishSmall !== undefined) publishSmall(id, Buffer.concat(gathered))
        else {
          const { path, file } = await flush()
          if (isDurable) await file.datasync()
          await file.close()
          await publish(id, path)
        }
        isCommitted = true
        gathered = []
      }),
    discard,
  }
}

/**
 * Writes all chunks in one system call, for speed.
 * @throws Error if the disk is full; the caller removes the incomplete file
 */
async function writeAll(handle: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  const total = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const { bytesWritten } = await handle.writev([...chunks])
  if (bytesWritten < total) throw new Error(`Only ${bytesWritten} of ${total} bytes could be written`)
}

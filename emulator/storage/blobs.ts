import { randomBytes } from 'node:crypto'
import { closeSync, createReadStream } from 'node:fs'
import { type FileHandle, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { reasonOf } from '../../src/system/system-errors.ts'
import type { MaybePromise } from '../values/maybe-promise.ts'
import { blobPrefixes, type DataFolder, expectFolder, nothingIfMissing, openOwn, syncFolder } from './folder.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

/**
 * Stores file bytes under random ids; names sent by clients are never used. A blob exists once it is committed. Bytes
 * are committed before the record that refers to them, so a failure may leave a blob without a record, never a record
 * without bytes.
 */
export interface BlobStore {
  create(): BlobWriter
  /**
   * The bytes of a blob or a part of it; leaving the iteration early closes the source.
   * @throws Error, once iterated, if the blob does not exist
   */
  read(id: string, range?: ByteRange): AsyncIterable<Uint8Array>
  /**
   * A file with the blob's bytes, for programs that read only files; created if needed. It exists until the blob is
   * removed and must not be written to.
   * @throws Error if the blob does not exist
   */
  path(id: string): Promise<string>
  /** Removes a blob once the record that referred to it is gone for certain; does nothing if it does not exist. */
  remove(id: string): Promise<void>
  /** Removes a blob at once, because no record refers to it. */
  discard(id: string): Promise<void>
  /** Removes everything that exists only for this process. */
  close(): Promise<void>
}

/** Bytes counted from 0, both ends included, within the blob's size. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** A blob being written. After a failed write nothing is kept and nothing more may be written. */
export interface BlobWriter {
  readonly id: string
  /** Resolves when the next chunk may follow. */
  write(chunk: Uint8Array): Promise<void>
  /** Makes the blob exist; nothing more may be written. */
  commit(): Promise<void>
  /** Discards what was written; does nothing after a commit. */
  discard(): Promise<void>
}

/** Bytes read from a file at a time. */
const readBytes = 262_144

/** Bytes are collected up to this size before they are written; smaller files stay in memory until they are complete. */
const bufferBytes = 1_048_576

interface WriterContext {
  /** Where the bytes are gathered before the blob exists; asked when the first of them are written. */
  draft(id: string): Promise<string>
  /** Whether the bytes have to survive a power failure. */
  readonly isDurable: boolean
  /** Makes a small blob exist without a file. Default: every blob is a file. */
  publishSmall?(id: string, bytes: Buffer): void
  /** Makes the blob exist, from its complete file. */
  publish(id: string, draft: string): Promise<void> | void
}

/** Gathers the bytes of a blob and writes them to a private file in large pieces. */
function createBlobWriter({ draft, isDurable, publishSmall, publish }: WriterContext): BlobWriter {
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
    const [chunks, total] = [gathered, bytes]
    gathered = []
    bytes = 0
    // In one system call, for speed.
    const { bytesWritten } = chunks.length > 0 ? await written.file.writev(chunks) : { bytesWritten: 0 }
    if (bytesWritten < total) throw new Error(`Only ${bytesWritten} of ${total} bytes could be written`)
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
 * Blobs that exist only for this process: small ones in memory, so that most tests use no disk, large ones in files of
 * a private temporary folder.
 */
export function createTemporaryBlobs(): BlobStore {
  /** The bytes, or the path of a file with them. */
  const blobs = new Map<string, Buffer | string>()
  const folder = createTemporaryFolder('filehost-emulator')
  const found = (id: string) => {
    const blob = blobs.get(id)
    if (blob === undefined) throw new Error(`There is no blob ${id}`)
    return blob
  }

  const remove = async (id: string) => {
    const blob = blobs.get(id)
    blobs.delete(id)
    if (typeof blob === 'string') await rm(blob, { force: true })
  }

  return {
    create: () =>
      createBlobWriter({
        draft: async (id) => join(await folder.path(), id),
        isDurable: false,
        publishSmall: (id, bytes) => void blobs.set(id, bytes),
        publish: (id, path) => void blobs.set(id, path),
      }),
    async *read(id, range) {
      const blob = found(id)
      if (typeof blob === 'string') yield* createReadStream(blob, { ...range, highWaterMark: readBytes })
      else yield range === undefined ? blob : blob.subarray(range.start, range.end + 1)
    },
    async path(id) {
      const blob = found(id)
      if (typeof blob === 'string') return blob
      const path = join(await folder.path(), id)
      await writeFile(path, blob, { mode: 0o600 })
      // The blob may have been removed meanwhile.
      if (blobs.has(id)) blobs.set(id, path)
      else await rm(path, { force: true })
      return path
    },
    remove,
    discard: remove,
    async close() {
      blobs.clear()
      await folder.remove()
    },
  }
}

/** Whether a name is a valid id. Records may come from outside, and any other name could point elsewhere. */
function isBlobId(name: string): boolean {
  return /^[0-9a-f]{32}$/.test(name)
}

/**
 * Blobs in files of a data folder; once committed, they survive the process and a power failure.
 * @param flushed resolves once all earlier record changes are safe
 */
export function createFileBlobs(
  { blobs: folder, incoming }: Pick<DataFolder, 'blobs' | 'incoming'>,
  flushed: () => MaybePromise<void>,
): BlobStore & { removed(): MaybePromise<void> } {
  const pendingRemovals = new Map<string, Promise<void>>()
  const pathOf = (id: string) => blobPath(folder, id)

  const found = (id: string): number => {
    if (!isBlobId(id) || pendingRemovals.has(id)) throw new Error(`There is no blob ${id}`)
    try {
      return openOwn(pathOf(id))
    } catch (cause) {
      throw new Error(`There is no blob ${id}: ${reasonOf(cause)}`, { cause })
    }
  }
  /** Waits until no record on disk refers to the bytes; if it fails, the next start removes them. */
  const removeLater = async (id: string) => {
    try {
      await flushed()
      await rm(pathOf(id), { force: true })
    } catch (error) {
      const problem = `${pathOf(id)}, the file of a deleted upload, cannot be removed: ${reasonOf(error)}`
      process.emitWarning(`${problem}. The next start removes it, where it can`)
    }
    pendingRemovals.delete(id)
  }
  /** Resolves once the bytes of all removed blobs are gone; nothing is returned if they are. */
  const removed = (): MaybePromise<void> =>
    pendingRemovals.size === 0 ? undefined : Promise.all(pendingRemovals.values()).then(() => {})

  return {
    create: () =>
      createBlobWriter({
        draft: async (id) => join(incoming, id),
        isDurable: true,
        publish: async (id, draft) => {
          const path = pathOf(id)
          await rename(draft, path)
          // The blob is committed only once its name is safe.
          await syncFolder(dirname(path)).catch(async (error: unknown) => {
            await rm(path, { force: true })
            throw error
          })
        },
      }),
    async *read(id, range) {
      // Closes the file even if the reading ends early.
      yield* createReadStream('', { fd: found(id), ...range, highWaterMark: readBytes })
    },
    async path(id) {
      closeSync(found(id))
      return pathOf(id)
    },
    async remove(id) {
      if (isBlobId(id) && !pendingRemovals.has(id)) pendingRemovals.set(id, removeLater(id))
    },
    async discard(id) {
      if (isBlobId(id)) await rm(pathOf(id), { force: true })
    },
    close: async () => removed(),
    removed,
  }
}

/**
 * Removes partly received files of a killed process. Done first, since it needs no room and the disk may be full
 * because of them.
 */
export async function removeDrafts(incoming: string): Promise<void> {
  const found = await readdir(incoming, { withFileTypes: true }).catch(nothingIfMissing)
  if (found === undefined) return
  await expectFolder(incoming)
  const unfinished = found.filter((entry) => entry.isFile() && isBlobId(entry.name))
  await Promise.all(unfinished.map(({ name }) => rm(join(incoming, name), { force: true })))
}

/**
 * Removes blobs without a record, left by a killed process. Call before any file is received, while every valid blob
 * has its record.
 * @param used those that records refer to
 */
export async function removeOrphanedBlobs(folder: string, used: ReadonlySet<string>): Promise<void> {
  const shelves = await Promise.all(
    blobPrefixes.map((prefix) => readdir(join(folder, prefix), { withFileTypes: true })),
  )
  const left = shelves.flat().filter((entry) => entry.isFile() && isBlobId(entry.name) && !used.has(entry.name))
  await Promise.all(left.map(({ name }) => rm(blobPath(folder, name), { force: true })))
}

function blobPath(folder: string, id: string): string {
  return join(folder, id.slice(0, 2), id)
}

import { randomBytes } from 'node:crypto'
import { closeSync, createReadStream, readdirSync } from 'node:fs'
import { type FileHandle, open, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCodeOf, reasonOf } from '../../src/system/system-errors.ts'
import { type DataFolder, expectFolder, openOwn, syncFolder } from './folder.ts'
import { TemporaryFolder } from './temporary-folder.ts'

/** Bytes counted from 0, both ends included, within the blob's size. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Bytes read from a file at a time. */
const readBytes = 262_144

/** Bytes are collected up to this size before they are written; smaller files stay in memory until they are complete. */
const bufferBytes = 1_048_576

/** Where blobs are. */
interface BlobFolders {
  /** Undefined if there is none yet. */
  folder(): string | undefined
  /** Where their bytes are gathered before they exist. */
  incoming(): string
}

/** An id is of this process's making; records may come from outside, and any other name could point elsewhere. */
const blobId = /^[0-9a-f]{32}$/

/**
 * Stores file bytes under random ids; names sent by clients are never used. A blob exists once it is committed. Bytes
 * are committed before the record that refers to them, so a failure may leave a blob without a record, never a record
 * without bytes.
 */
export class BlobStore {
  readonly #folders: BlobFolders
  readonly #flushed: (() => Promise<void> | undefined) | undefined
  /** Those that need no file: small ones of a store that ends with the process, so that most tests use no disk. */
  readonly #small = new Map<string, Buffer>()
  readonly #removals = new Map<string, Promise<void>>()
  /** Removes everything that exists only for this process, once the bytes of all removed blobs are gone. */
  readonly close: () => Promise<void>

  /** @param flushed resolves once all earlier record changes are safe; undefined: the blobs end with the process */
  constructor(folders: BlobFolders, flushed?: () => Promise<void> | undefined, end = () => {}) {
    this.#folders = folders
    this.#flushed = flushed
    this.close = async () => {
      await this.removed()
      this.#small.clear()
      end()
    }
  }

  create(): BlobWriter {
    const isDurable = this.#flushed !== undefined
    return new BlobWriter(this.#folders, isDurable, isDurable ? undefined : this.#small)
  }

  #path(id: string): string {
    return join(this.#folders.folder() ?? '', id)
  }

  #hasFile(id: string): boolean {
    return blobId.test(id) && !this.#removals.has(id) && this.#folders.folder() !== undefined
  }

  #open(id: string): number {
    if (!this.#hasFile(id)) throw new Error(`There is no blob ${id}`)
    try {
      return openOwn(this.#path(id))
    } catch (cause) {
      throw new Error(`There is no blob ${id}: ${reasonOf(cause)}`, { cause })
    }
  }

  /**
   * The bytes of a blob or a part of it; leaving the iteration early closes the source.
   * @throws Error, once iterated, if the blob does not exist
   */
  async *read(id: string, range?: ByteRange): AsyncIterable<Uint8Array> {
    const small = this.#small.get(id)
    if (small !== undefined) yield range === undefined ? small : small.subarray(range.start, range.end + 1)
    else yield* createReadStream('', { fd: this.#open(id), ...range, highWaterMark: readBytes })
  }

  /**
   * A file with the blob's bytes, for programs that read only files; created if needed. It exists until the blob is
   * removed and must not be written to.
   * @throws Error if the blob does not exist
   */
  async path(id: string): Promise<string> {
    const small = this.#small.get(id)
    if (small !== undefined) {
      const path = join(this.#folders.incoming(), id)
      await writeFile(path, small, { mode: 0o600 })
      // The blob may have been removed meanwhile.
      if (!this.#small.delete(id)) await rm(path, { force: true })
    } else closeSync(this.#open(id))
    return this.#path(id)
  }

  /** Removes a blob once the record that referred to it is gone for certain; does nothing if it does not exist. */
  remove(id: string): void {
    if (!this.#small.delete(id) && this.#hasFile(id)) this.#removals.set(id, this.#removeLater(id))
  }

  /** Waits until no record on disk refers to the bytes; if it fails, the next start removes them. */
  async #removeLater(id: string): Promise<void> {
    try {
      await this.#flushed?.()
      await rm(this.#path(id), { force: true })
    } catch (error) {
      const problem = `${this.#path(id)}, the file of a deleted upload, cannot be removed: ${reasonOf(error)}`
      process.emitWarning(`${problem}. The next start removes it, where it can`)
    }
    this.#removals.delete(id)
  }

  /** Removes a blob at once, because no record refers to it. */
  async discard(id: string): Promise<void> {
    if (!this.#small.delete(id) && this.#hasFile(id)) await rm(this.#path(id), { force: true })
  }

  /** Resolves once the bytes of all removed blobs are gone; undefined if they are. */
  removed(): Promise<void> | undefined {
    return this.#removals.size === 0 ? undefined : Promise.all(this.#removals.values()).then(() => {})
  }
}

/** Blobs that end with this process: small ones in memory, large ones in files of a private temporary folder. */
export function createTemporaryBlobs(): BlobStore {
  const folder = new TemporaryFolder('filehost-emulator')
  const folders = { folder: () => folder.made, incoming: () => folder.path() }
  return new BlobStore(folders, undefined, () => folder.remove())
}

/** Blobs in files of a data folder; once committed, they survive the process and a power failure. */
export function createFileBlobs(
  { blobs, incoming }: Pick<DataFolder, 'blobs' | 'incoming'>,
  flushed: () => Promise<void> | undefined,
): BlobStore {
  return new BlobStore({ folder: () => blobs, incoming: () => incoming }, flushed)
}

/**
 * A blob being written: its bytes are gathered and written to a private file in large pieces. After a failed write
 * nothing is kept and nothing more may be written.
 */
export class BlobWriter {
  readonly id: string = randomBytes(16).toString('hex')
  readonly #folders: BlobFolders
  readonly #isDurable: boolean
  readonly #small: Map<string, Buffer> | undefined
  #gathered: Uint8Array[] = []
  #bytes = 0
  #draft: { readonly path: string; readonly file: FileHandle } | undefined
  #isCommitted = false

  constructor(folders: BlobFolders, isDurable: boolean, small: Map<string, Buffer> | undefined) {
    this.#folders = folders
    this.#isDurable = isDurable
    this.#small = small
  }

  /** Resolves when the next chunk may follow. */
  write(chunk: Uint8Array): Promise<void> {
    return this.#orDiscard(async () => {
      this.#gathered.push(chunk)
      this.#bytes += chunk.length
      if (this.#bytes > bufferBytes) await this.#flush()
    })
  }

  /** Makes the blob exist; nothing more may be written. */
  commit(): Promise<void> {
    return this.#orDiscard(async () => {
      if (this.#draft === undefined && this.#small !== undefined) {
        this.#small.set(this.id, Buffer.concat(this.#gathered))
      } else {
        const { path, file } = await this.#flush()
        if (this.#isDurable) await file.datasync()
        await file.close()
        if (this.#isDurable) await this.#publish(path)
      }
      this.#isCommitted = true
      this.#gathered = []
    })
  }

  async #publish(draft: string): Promise<void> {
    const folder = this.#folders.folder() ?? ''
    await rename(draft, join(folder, this.id))
    // The blob is committed only once its name is safe.
    await syncFolder(folder).catch(async (error: unknown) => {
      await rm(join(folder, this.id), { force: true })
      throw error
    })
  }

  async #flush() {
    if (this.#draft === undefined) {
      const path = join(this.#folders.incoming(), this.id)
      // Fails if the file exists.
      this.#draft = { path, file: await open(path, 'wx', 0o600) }
    }
    const [chunks, total] = [this.#gathered, this.#bytes]
    this.#gathered = []
    this.#bytes = 0
    // In one system call, for speed.
    const { bytesWritten } = chunks.length > 0 ? await this.#draft.file.writev(chunks) : { bytesWritten: 0 }
    if (bytesWritten < total) throw new Error(`Only ${bytesWritten} of ${total} bytes could be written`)
    return this.#draft
  }

  /** Discards the blob when a write fails: the caller need not, and a full disk has no room for it. */
  async #orDiscard(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      // The original error matters more than a failed removal.
      await this.discard().catch(() => {})
      throw error
    }
  }

  /** Discards what was written; does nothing after a commit. */
  async discard(): Promise<void> {
    this.#gathered = []
    if (this.#isCommitted || this.#draft === undefined) return
    // A full disk may fail only at the close; the file is removed all the same.
    await this.#draft.file.close().catch(() => {})
    await rm(this.#draft.path, { force: true })
  }
}

/**
 * Removes partly received files of a killed process. Done first, since it needs no room and the disk may be full
 * because of them.
 */
export async function removeDrafts(incoming: string): Promise<void> {
  await removeBlobs(incoming, () => true)
}

/**
 * Removes blobs without a record, left by a killed process. Call before any file is received, while every valid blob
 * has its record.
 * @param used those that records refer to
 */
export async function removeOrphanedBlobs(folder: string, used: ReadonlySet<string>): Promise<void> {
  await removeBlobs(folder, (id) => !used.has(id))
}

async function removeBlobs(folder: string, isUnused: (id: string) => boolean): Promise<void> {
  const entries = entriesOf(folder)
  if (entries.length > 0) expectFolder(folder)
  const left = entries.filter((entry) => entry.isFile() && blobId.test(entry.name) && isUnused(entry.name))
  await Promise.all(left.map(({ name }) => rm(join(folder, name), { force: true })))
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return []
    throw error
  }
}

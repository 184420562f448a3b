import { randomBytes } from 'node:crypto'
import { constants, createReadStream, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPrivateFile } from '../../src/system/private-file.ts'
import { errorCodeOf, reasonOf } from '../../src/system/system-errors.ts'
import type { RecordStore } from './records.ts'

/** Bytes counted from 0, both ends included, within the blob's size. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Bytes are collected up to this size before they are written; smaller files stay in memory until they are complete. */
const bufferBytes = 1_048_576

/** Where blobs are. */
export interface BlobFolders {
  /** Whether they outlast this process. Others need no file if they are small, so that most tests use no disk. */
  readonly isDurable: boolean
  blobs(): string
  /** Where their bytes are gathered before they exist. */
  incoming(): string
  /** Removes what does not outlast this process. */
  remove(): void
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
  readonly #turns: RecordStore['turns']
  readonly #small = new Map<string, Buffer>()
  #held: Promise<unknown> = Promise.resolve()

  constructor(folders: BlobFolders, turns: RecordStore['turns']) {
    this.#folders = folders
    this.#turns = turns
  }

  create(): BlobWriter {
    return new BlobWriter(this.#folders, this.#small)
  }

  #open(id: string): number {
    if (!blobId.test(id)) throw new Error(`There is no blob ${id}`)
    try {
      // It may be another user's, as a volume of a container is.
      return openPrivateFile(this.path(id), constants.O_RDONLY, () => true)
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
    else yield* createReadStream('', { fd: this.#open(id), ...range, highWaterMark: 262_144 })
  }

  /** The file of a blob of more than a MiB, for programs that read only files. */
  path(id: string): string {
    return join(this.#folders.blobs(), id)
  }

  /** Removes a blob once the record that referred to it is gone for certain. */
  remove(id: string): void {
    Promise.all([this.#turns.flushed(), this.#held]).then(
      () => this.discard(id),
      () => {},
    )
  }

  /** Nothing is removed while this is going on. */
  hold<Result>(reading: Promise<Result>): Promise<Result> {
    this.#held = reading.catch(() => {})
    return reading
  }

  /** Removes a blob at once, because no record refers to it; does nothing if it does not exist. */
  discard(id: string): void {
    if (this.#small.delete(id) || !blobId.test(id)) return
    try {
      rmSync(this.path(id), { force: true })
    } catch (error) {
      const problem = `${this.path(id)}, the file of a deleted upload, cannot be removed: ${reasonOf(error)}`
      process.emitWarning(`${problem}. The next start removes it, where it can`)
    }
  }
}

/** Those of all emulators of this process. */
const temporaryFolders = new Set<string>()

function removeTemporaryFolders(): void {
  for (const path of temporaryFolders) rmSync(path, { recursive: true, force: true })
}

/** A private folder (mode 0700) for the large blobs of this process, made when it is first needed. */
export function temporaryFolder(): BlobFolders {
  let path: string | undefined
  const remove = () => {
    if (path === undefined) return
    rmSync(path, { recursive: true, force: true })
    temporaryFolders.delete(path)
    if (temporaryFolders.size === 0) process.off('exit', removeTemporaryFolders)
  }
  const made = () => {
    if (path !== undefined) return path
    path = mkdtempSync(join(tmpdir(), 'filehost-emulator-'))
    if (temporaryFolders.size === 0) process.on('exit', removeTemporaryFolders)
    temporaryFolders.add(path)
    return path
  }
  return { isDurable: false, blobs: made, incoming: made, remove }
}

/** A blob being written: its bytes are gathered and written to a private file in large pieces. */
export class BlobWriter {
  readonly id: string = randomBytes(16).toString('hex')
  readonly #folders: BlobFolders
  readonly #small: Map<string, Buffer>
  #gathered: Uint8Array[] = []
  #bytes = 0
  #draft: { readonly path: string; readonly file: FileHandle } | undefined

  constructor(folders: BlobFolders, small: Map<string, Buffer>) {
    this.#folders = folders
    this.#small = small
  }

  /** Resolves when the next chunk may follow. */
  async write(chunk: Uint8Array): Promise<void> {
    this.#gathered.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes > bufferBytes) await this.#flush()
  }

  /** Makes the blob exist; nothing more may be written. */
  async commit(): Promise<void> {
    if (this.#folders.isDurable || this.#draft !== undefined) {
      const { path, file } = await this.#flush()
      await file.close()
      await rename(path, join(this.#folders.blobs(), this.id))
      this.#draft = undefined
    } else this.#small.set(this.id, Buffer.concat(this.#gathered))
    this.#gathered = []
  }

  async #flush() {
    if (this.#draft === undefined) {
      const path = join(this.#folders.incoming(), this.id)
      // Fails if the file exists.
      this.#draft = { path, file: await open(path, 'wx', 0o600) }
    }
    const chunks = this.#gathered
    this.#gathered = []
    this.#bytes = 0
    await this.#draft.file.writeFile(chunks)
    return this.#draft
  }

  /** Discards what was written; does nothing after a commit. */
  async discard(): Promise<void> {
    this.#gathered = []
    if (this.#draft === undefined) return
    // A full disk may fail only at the close; the file is removed all the same.
    await this.#draft.file.close().catch(() => {})
    await rm(this.#draft.path, { force: true })
  }
}

/** Removes the files of blobs that a killed process has left. Call before any file is received. */
export function removeBlobs(folder: string, isUnused: (id: string) => boolean): void {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const isLeft = entry.isFile() && blobId.test(entry.name) && isUnused(entry.name)
      if (isLeft) rmSync(join(folder, entry.name), { force: true })
    }
  } catch (error) {
    if (errorCodeOf(error) !== 'ENOENT') throw error
  }
}

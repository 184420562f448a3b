import { once } from 'node:events'
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PassThrough, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { endLock, openLock } from '../../store/sqlite.ts'
import { StoreError } from '../../store/store-error.ts'
import { moveOver } from '../../system/files.ts'
import { anySignal, orAborted, ownSignal } from '../../system/signals.ts'
import { errorCodeOf, reasonOf } from '../../system/system-errors.ts'
import { DownloadError, FileHostError } from '../errors.ts'

/** A place in one version of a file, up to which its bytes are here. */
export interface ResumePoint {
  readonly bytes: number
  /** The version: an entity tag, as the site named it; undefined if nothing can be resumed. */
  readonly validator?: string | undefined
}

/** Where a download goes: a file, which may exist in part, or a stream. */
export interface DownloadTarget {
  /** What errors call it. */
  readonly name: string
  /** How much is here already; called before every attempt. */
  resume(): ResumePoint
  /** Called before the bytes of an answer: they follow on this point, which is 0 if the file has changed. */
  begin(point: ResumePoint): Promise<void>
  write(chunk: Uint8Array): Promise<void>
}

interface StreamDownload {
  /** What errors call the stream. */
  readonly name: string
  readonly signal: AbortSignal
  readonly onProgress: (bytes: number) => void
}

/**
 * Lets work download to a stream of Node or of the web, as `stream.pipeline` does: the stream is ended after the work, and
 * destroyed when the work fails. Standard output and standard error stay open.
 *
 * @param work its signal aborts with the other, or when the stream fails
 * @throws DownloadError of code `stream-failed`; `signal.reason` when aborted; every error of the work
 */
export async function downloadToStream<T>(
  stream: Writable | WritableStream<Uint8Array>,
  { name, signal, onProgress }: StreamDownload,
  work: (target: DownloadTarget, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const entrance = new PassThrough()
  const broken = new AbortController()
  const until = anySignal([signal, broken.signal])
  const end = stream !== process.stdout && stream !== process.stderr
  const piped = pipeline(entrance, stream as Writable, { signal: ownSignal(signal), end }).catch((cause: unknown) => {
    const message = `${name} failed, and the download with it: ${cause instanceof Error ? cause.message : cause}`
    broken.abort(new DownloadError('stream-failed', message, { hint: 'Download it again, to another stream', cause }))
  })
  let [written, validator]: [number, string | undefined] = [0, undefined]
  const target: DownloadTarget = {
    name,
    resume: () => ({ bytes: written, validator }),
    async begin(point) {
      // What was written cannot be taken back.
      if (written !== point.bytes) {
        throw new DownloadError('size-mismatch', `${name}: the download was interrupted and cannot be resumed`, {
          hint: 'Download to a file, or try again',
        })
      }
      validator = point.validator
    },
    async write(chunk) {
      if (!entrance.write(chunk)) await once(entrance, 'drain', { signal: until })
      written += chunk.length
      onProgress(written)
    },
  }
  try {
    const result = await work(target, until)
    entrance.end()
    await piped
    broken.signal.throwIfAborted()
    return result
  } catch (error) {
    entrance.destroy(error instanceof Error ? error : new Error('The download failed'))
    await piped
    throw signal.aborted ? signal.reason : error
  }
}

interface PathDownload {
  /** A part is resumed only for the same slug. */
  readonly slug: string
  /** In bytes, as stated by the service. */
  readonly size: number
  /** Whether to replace an existing file. */
  readonly force: boolean
  readonly onProgress: (bytes: number) => void
  readonly signal: AbortSignal
  fetch(target: DownloadTarget): Promise<void>
}

/**
 * Downloads to a file: in a part beside it under a lock, which is renamed when it is whole.
 *
 * @returns false if the file was there already, as far as its size tells
 * @throws DownloadError if another file is there, another run downloads to it, or the part cannot be written; every error of
 * `fetch`
 */
export async function downloadToPath(path: string, options: PathDownload): Promise<boolean> {
  const { size, force, signal } = options
  // A disk that hangs must not keep an abort from ending the download.
  const isDone = () => orAborted(isThere(path, size, force), signal)
  // Two runs that both have the file already must not meet.
  if (await isDone()) return false
  using _lock = lockPart(path)
  // Another process may have finished it meanwhile.
  if (await isDone()) return false
  // Not given up: what opens after an abort would stay, open and empty.
  await using part = await openPartFile(path, options)
  await options.fetch(part)
  await part.finish()
  return true
}

/** Two runs that wrote to one part would mix two files. @throws DownloadError where another download has the part */
function lockPart(path: string): Disposable {
  const name = `${path}.part.lock`
  try {
    const lock = openLock(name)
    return { [Symbol.dispose]: () => endLock(name, lock) }
  } catch (error) {
    if (error instanceof StoreError && error.failure === 'busy') throw inUse(path)
    // Some network disks have no locks; what else is wrong with the folder, opening the part says.
    return { [Symbol.dispose]() {} }
  }
}

/**
 * Whether a file of this size has the path, and is not to be replaced.
 * @throws DownloadError if another file has it, or something that cannot be replaced: a device, a pipe, a folder
 */
export async function isThere(path: string, size: number, force = false): Promise<boolean> {
  const named = await lstat(path).catch(() => undefined)
  if (named === undefined) return false
  if (force && !named.isFile() && !named.isSymbolicLink()) throw foreign(path, 'it is not a file')
  if (force) return false
  const existing = await stat(path).catch(() => undefined)
  if (existing?.isFile() && existing.size === size) return true
  throw fileExists(path)
}

/**
 * Opens the part of a file, `<file>.part`, keeping what an earlier run downloaded of the same upload. Disposing closes the
 * part and leaves it there, so that a later run can resume; an empty one is removed.
 *
 * @throws DownloadError of code `file-unwritable`
 */
async function openPartFile(path: string, options: PathDownload) {
  const { slug, size, force, onProgress } = options
  const [part, note] = [`${path}.part`, `${path}.part.json`]
  const noFolder = `the folder ${dirname(path)} does not exist`
  const file = await orUnwritable(part, openOwnFile(part, constants.O_RDWR | constants.O_CREAT), noFolder)
  let validator = await validatorIn(note, slug)
  // Even a complete part requests its last byte again: the answer shows whether the file has changed.
  const found = (await file.stat()).size
  let bytes = validator === undefined ? 0 : Math.min(found, Math.max(size - 1, 0))
  const forget = () => rm(note, { force: true })
  const removeEmpty = async () => {
    const { size: left } = await file.stat()
    if (left === 0) await Promise.all([rm(part), forget()])
  }
  return {
    name: path,
    resume: () => ({ bytes, validator }),
    async begin(point: ResumePoint) {
      bytes = point.bytes
      validator = point.validator
      await orUnwritable(part, file.truncate(bytes))
      if (validator === undefined) await forget()
      else await orUnwritable(note, writeNote(note, JSON.stringify({ slug, validator })))
      onProgress(bytes)
    },
    async write(chunk: Uint8Array) {
      for (let rest = chunk; rest.length > 0; ) {
        const { bytesWritten } = await orUnwritable(part, file.write(rest, 0, rest.length, bytes))
        bytes += bytesWritten
        rest = rest.subarray(bytesWritten)
      }
      onProgress(bytes)
    },
    /** Renames the part, which is whole, to the final file. @throws DownloadError if the name is taken */
    async finish() {
      await orUnwritable(part, file.datasync())
      if (!force && (await lstat(path).catch(() => undefined)) !== undefined) throw fileExists(path)
      await orUnwritable(path, moveOver(part, path))
      await forget()
    },
    async [Symbol.asyncDispose]() {
      // Before others may take the part.
      await removeEmpty().catch(() => {})
      // Not awaited: it waits for pending writes, also of a disk that hangs.
      file.close().catch(() => {})
    },
  }
}

/** Removes an existing note first, since it may be a link to another file. */
async function writeNote(note: string, text: string): Promise<void> {
  await rm(note, { force: true })
  await using file = await open(note, 'wx', 0o600)
  await file.writeFile(text)
}

async function validatorIn(note: string, slug: string): Promise<string | undefined> {
  try {
    await using file = await openOwnFile(note, constants.O_RDONLY)
    const { slug: of, validator } = Object(JSON.parse(await file.readFile('utf8')))
    return of === slug && typeof validator === 'string' && /^[\x20-\x7e]+$/.test(validator) ? validator : undefined
  } catch {
    return undefined
  }
}

// Windows lacks both constants, and has few links.
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

/**
 * Opens a file that belongs to this user and has no second name. In a folder that others can write, the name may be a link
 * to another user's file, an endless pipe, or a file that its owner still writes to.
 *
 * @throws DownloadError of code `file-unwritable` if it is not such a file
 */
async function openOwnFile(path: string, access: number): Promise<FileHandle> {
  const file = await open(path, access | O_NOFOLLOW | O_NONBLOCK, 0o666).catch((error: unknown) => {
    throw errorCodeOf(error) === 'ELOOP' ? foreign(path, 'it is not a file') : error
  })
  const stats = await file.stat()
  const isOwn = process.geteuid === undefined || stats.uid === process.geteuid()
  if (stats.isFile() && stats.nlink === 1 && isOwn) return file
  await file.close()
  throw foreign(path, stats.isFile() ? 'it belongs to another user, or is a hard link' : 'it is not a file')
}

function fileExists(path: string): DownloadError {
  const hint = 'Give force: true to replace it, or choose another file'
  return new DownloadError('file-exists', `${path} exists already`, { hint })
}

function inUse(path: string): DownloadError {
  const hint = 'Wait until that has ended, then run it again'
  return new DownloadError('file-unwritable', `${path} cannot be written: another run downloads to it`, { hint })
}

function foreign(path: string, why: string): DownloadError {
  const hint = 'Remove it, or choose another file'
  return new DownloadError('file-unwritable', `${path} cannot be used: ${why}`, { hint })
}

/** @throws DownloadError of code `file-unwritable` where the effect fails. @param missing why something is not there */
async function orUnwritable<T>(path: string, effect: Promise<T>, missing = 'its part was removed'): Promise<T> {
  try {
    return await effect
  } catch (error) {
    if (error instanceof FileHostError) throw error
    const reason = errorCodeOf(error) === 'ENOENT' ? missing : reasonOf(error)
    throw new DownloadError('file-unwritable', `${path} cannot be written: ${reason}`, { cause: error })
  }
}

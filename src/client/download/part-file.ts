import { constants } from 'node:fs'
import { type FileHandle, link, lstat, open, rename, rm } from 'node:fs/promises'
import { moveOver } from '../../system/move-over.ts'
import { orAborted } from '../../system/signals.ts'
import { errorCodeOf } from '../../system/system-errors.ts'
import type { DownloadStart, DownloadTarget } from './download.ts'
import { fileExists, foreign, isStillNamed, openOwnFile, orUnwritable } from './own-file.ts'

/** A download to a path, see `downloadToPath`. */
export interface PathDownload {
  /** A part is resumed only for the same slug. */
  readonly slug: string
  /** In bytes, as stated by the service. */
  readonly size: number
  /** Whether to replace an existing file. */
  readonly force: boolean
  /** A path that no other upload has, if another may have the same final path: the part is named after it. */
  readonly ownPath?: string | undefined
  readonly onProgress: (bytes: number) => void
  readonly signal: AbortSignal
  /** Ends the wait for the disk once all bytes are there, when `signal` no longer ends the download. */
  readonly givingUp?: AbortSignal | undefined
  fetch(target: DownloadTarget): Promise<void>
}

/**
 * Opens the part of a file, `<file>.part`, keeping what an earlier run downloaded of the same upload. Disposing closes the
 * part and leaves it there, so that a later run can resume; an empty one is removed.
 *
 * @throws DownloadError of code `file-unwritable`
 */
export async function openPartFile(path: string, options: PathDownload) {
  const { slug, size, force, ownPath = path, onProgress, givingUp } = options
  const [part, note] = [`${ownPath}.part`, `${ownPath}.part.json`]
  const file = await orUnwritable(part, openPart(part))
  let validator = await validatorIn(note, slug)
  // Even a complete part requests its last byte again: the answer shows whether the file has changed.
  const found = (await file.stat()).size
  let bytes = validator === undefined ? 0 : Math.min(found, Math.max(size - 1, 0))
  let isEmpty = found === 0
  const forget = () => rm(note, { force: true })
  const removeEmpty = async () => {
    if (isEmpty && (await isStillNamed(part, file))) await Promise.all([rm(part), forget()])
  }

  return {
    name: path,
    resume: () => ({ bytes, validator }),
    async begin(start: DownloadStart) {
      bytes = start.offset
      validator = start.validator
      await orUnwritable(part, file.truncate(bytes))
      if (validator === undefined) await forget()
      else await orUnwritable(note, writeNote(note, JSON.stringify({ slug, validator })))
      isEmpty = bytes === 0
      onProgress(bytes)
    },
    async write(chunk: Uint8Array) {
      isEmpty = false
      await orUnwritable(part, writeAll(file, chunk, bytes))
      bytes += chunk.length
      onProgress(bytes)
    },
    /** Renames the part, which is whole, to the final file. @throws DownloadError if the name is taken */
    async finish() {
      await orUnwritable(part, file.datasync())
      if (!(await isStillNamed(part, file))) throw foreign(part, 'another file has replaced it')
      await (force ? orUnwritable(path, moveOver(part, path)) : publish(part, path))
      await forget()
    },
    async [Symbol.asyncDispose]() {
      const removal = removeEmpty().catch(() => {})
      // Not awaited: close() waits for pending writes, even after the run has given up on them.
      removal.then(() => file.close()).catch(() => {})
      // Before others may take the part.
      await orAborted(removal, givingUp).catch(() => {})
    },
  }
}

/** Creates the part, or opens the one that an earlier run left. */
async function openPart(part: string): Promise<FileHandle> {
  try {
    return await open(part, 'wx+', 0o666)
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error
    return await openOwnFile(part, constants.O_RDWR)
  }
}

async function writeAll(file: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, done, chunk.length - done, position + done)
    done += bytesWritten
  }
}

/** Hard-links the part to its final name, which fails if that exists, then removes the part. Falls back to a rename. */
async function publish(part: string, path: string): Promise<void> {
  try {
    await link(part, path)
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') throw fileExists(path)
    // Without hard links: a rename would replace a file that has appeared meanwhile.
    if ((await lstat(path).catch(() => undefined)) !== undefined) throw fileExists(path)
    return await orUnwritable(path, rename(part, path))
  }
  await rm(part, { force: true })
}

/** More than any slug and validator need. */
const LONGEST_NOTE_BYTES = 65_536

async function readNote(note: string): Promise<string> {
  await using file = await openOwnFile(note, constants.O_RDONLY)
  const { bytesRead, buffer } = await file.read(Buffer.alloc(LONGEST_NOTE_BYTES), 0, LONGEST_NOTE_BYTES, 0)
  return buffer.toString('utf8', 0, bytesRead)
}

/** Removes an existing note first, since it may be a link to another file. */
async function writeNote(note: string, text: string): Promise<void> {
  await rm(note, { force: true })
  await using file = await open(note, 'wx', 0o600)
  await file.writeFile(text)
}

async function validatorIn(note: string, slug: string): Promise<string | undefined> {
  try {
    const { slug: of, validator } = Object(JSON.parse(await readNote(note)))
    return of === slug && typeof validator === 'string' && /^[\x20-\x7e]+$/.test(validator) ? validator : undefined
  } catch {
    return undefined
  }
}

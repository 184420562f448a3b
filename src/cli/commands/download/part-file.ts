import { constants } from 'node:fs'
import { type FileHandle, link, lstat, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DownloadTarget } from '../../../index.ts'
import { errorCodeOf, reasonOf } from '../../../system/system-errors.ts'
import { CliError } from '../../failures/cli-error.ts'
import { createOwnFile, foreign, isStillNamed, openOwnFile } from './own-file.ts'

/** A download on its way to a file: what has come lies in `<file>.part`, and the next run goes on from there. */
export interface PartFile extends DownloadTarget, AsyncDisposable {
  /** Gives the finished file its name. @throws CliError where its size is not the one expected, or the name is taken */
  finish(): Promise<void>
}

export interface PartFileOptions {
  /** Tells the parts of two uploads apart that go to one name. */
  readonly slug: string
  /** In bytes, as the service states it. */
  readonly size: number
  /** Whether a file of that name is replaced. */
  readonly force: boolean
  readonly onProgress: (bytes: number) => void
}

/**
 * Opens the part beside a file, keeping what an earlier run left of the same upload. Disposing closes it and leaves what
 * has come.
 *
 * @throws CliError of code `file-unwritable`
 */
export async function openPartFile(path: string, options: PartFileOptions): Promise<PartFile> {
  const { slug, size, force, onProgress } = options
  const [part, note] = [`${path}.part`, `${path}.part.json`]
  const file = await orUnwritable(part, openPart(part))
  let validator = await validatorIn(note, slug)
  // The last byte is asked for again even where all are here: so the site says whether they still are the file's.
  let bytes = validator === undefined ? 0 : Math.min((await file.stat()).size, Math.max(size - 1, 0))
  const forget = () => rm(note, { force: true })

  return {
    resume: () => ({ bytes, validator }),
    async begin(start) {
      if (start.total !== undefined && start.total !== size) throw wrongSize(path, size, start.total)
      bytes = start.offset
      validator = start.validator
      await orUnwritable(part, file.truncate(bytes))
      if (validator === undefined) await forget()
      else await orUnwritable(note, writeNote(note, JSON.stringify({ slug, validator })))
      onProgress(bytes)
    },
    async write(chunk) {
      if (bytes + chunk.length > size) throw wrongSize(path, size, bytes + chunk.length)
      await orUnwritable(part, writeAll(file, chunk, bytes))
      bytes += chunk.length
      onProgress(bytes)
    },
    async finish() {
      if (bytes !== size) throw wrongSize(path, size, bytes)
      await orUnwritable(part, file.datasync())
      if (!(await isStillNamed(part, file))) throw foreign(part, 'another has taken its place')
      await (force ? orUnwritable(path, rename(part, path)) : publish(part, path))
      await forget()
    },
    async [Symbol.asyncDispose]() {
      // Not waited for: it waits for what is being written, also where that was given up.
      file.close().catch(() => {})
    },
  }
}

/** A new one, or what an earlier run left. */
async function openPart(part: string): Promise<FileHandle> {
  try {
    return await createOwnFile(part, constants.O_RDWR, 0o666)
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

/** A second name for the part, given only where it is free; then the first goes. Some file systems know no second names. */
async function publish(part: string, path: string): Promise<void> {
  try {
    await link(part, path)
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') throw fileExists(path)
    // A rename would replace what has the name by now.
    if ((await lstat(path).catch(() => undefined)) !== undefined) throw fileExists(path)
    return await orUnwritable(path, rename(part, path))
  }
  await rm(part, { force: true })
}

/** More than a slug and a validator take, which are headers and part of a path. */
const LONGEST_NOTE_BYTES = 65_536

async function readNote(note: string): Promise<string> {
  await using file = await openOwnFile(note, constants.O_RDONLY)
  const { bytesRead, buffer } = await file.read(Buffer.alloc(LONGEST_NOTE_BYTES), 0, LONGEST_NOTE_BYTES, 0)
  return buffer.toString('utf8', 0, bytesRead)
}

/** A new file each time: what lies in its place is removed, not written to. */
async function writeNote(note: string, text: string): Promise<void> {
  await rm(note, { force: true })
  await using file = await createOwnFile(note, constants.O_WRONLY, 0o600)
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

/** @throws CliError of code `file-exists` */
export function fileExists(path: string): CliError {
  return new CliError('file-exists', `${path} exists already`, {
    hint: 'Add --force to replace it, or name another file',
  })
}

/** The next run begins at 0 by itself: such a part is longer than the file, or its last byte is asked for again. */
export function wrongSize(path: string, expected: number, actual: number): CliError {
  const words = `${path}: the service tells of ${expected} bytes, but the file has ${actual}`
  return new CliError('size-mismatch', words, { hint: 'What came is not the file; try again later' })
}

async function orUnwritable<T>(path: string, effect: Promise<T>): Promise<T> {
  try {
    return await effect
  } catch (error) {
    if (error instanceof CliError) throw error
    const reason = errorCodeOf(error) === 'ENOENT' ? `there is no folder ${dirname(path)}` : reasonOf(error)
    throw new CliError('file-unwritable', `${path} cannot be written: ${reason}`, { cause: error })
  }
}

import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { UploadSource } from '../../../../index.ts'
import { prepareSource } from '../../../../internal.ts'
import { errorCodeOf, reasonOf } from '../../../../system/system-errors.ts'
import { CliError, usageError } from '../../../failures/cli-error.ts'
import { makeSpoolFolder, type SpoolFolder, sweepSpoolFolders } from './spool-folders.ts'

/** A stream, stored as a file: its size is exact, and it can be sent twice. */
export interface SpooledFile extends AsyncDisposable {
  readonly path: string
  readonly name: string
}

/** Which files fh sends. */
export interface UploadLimits {
  /** In bytes; infinite if only the service limits it. */
  readonly maxFileSizeBytes: number
  readonly anyType: boolean
}

export interface SpoolOptions extends UploadLimits {
  /** Empty if the type names it. */
  readonly name: string
  readonly signal: AbortSignal
}

/** Copies standard input or a pipe to a file, in the same way. */
export async function spoolStream(stream: Readable, options: SpoolOptions): Promise<SpooledFile> {
  try {
    return await spoolSource({ stream, name: options.name }, options)
  } catch (error) {
    // A pending read would keep the process alive.
    stream.destroy()
    throw error
  }
}

/**
 * Copies a source to a file that only this user can read; disposing removes it. Checks the type from the first bytes and
 * the size while copying, so that a refused file is not stored first.
 *
 * @throws SourceError if it is refused, CliError if it cannot be stored
 */
export async function spoolSource(from: UploadSource, { name, ...limits }: SpoolOptions): Promise<SpooledFile> {
  const source = await prepareSource(from, limits)
  let folder: SpoolFolder | undefined
  const remove = async () => await folder?.[Symbol.asyncDispose]()
  try {
    folder = await orUnstored(makeSpoolFolder(tmpdir()))
    // A failed cleanup must not stop this upload.
    await sweepSpoolFolders(tmpdir()).catch(() => {})
    const path = join(folder.path, source.name)
    const file = await orUnstored(open(path, NEW_FILE, 0o600))
    try {
      for await (const chunk of source.read()) await orUnstored(writeWhole(file, chunk))
    } finally {
      await file.close()
    }
    return { path, name: source.name, [Symbol.asyncDispose]: remove }
  } catch (error) {
    source.close()
    await remove()
    throw error
  }
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants
const NEW_FILE = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW

async function writeWhole(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten
}

/** Turns file system errors into errors that name the temporary folder. */
async function orUnstored<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (errorCodeOf(error) === undefined) throw error
    throw new CliError('file-unwritable', `The copy cannot be written to ${tmpdir()}: ${reasonOf(error)}`, {
      hint: 'Name a folder with room in TMPDIR',
      cause: error,
    })
  }
}

/**
 * Checks the file name of `--name`.
 * @throws CliError of code `usage`
 */
export function checkFileName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among what is refused
  const plain = /^[^/\\\u0000-\u001f\u007f]+$/.test(name) && !/^\.{1,2}$/.test(name)
  if (plain && Buffer.byteLength(name) <= 255) return name
  throw usageError(`--name: ${JSON.stringify(name)} is not the name of a file`, 'Give a plain name, such as photo.jpg')
}

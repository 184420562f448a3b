import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCodeOf, reasonOf } from '../../system/system-errors.ts'
import { DownloadError, FileHostError } from '../errors.ts'

// Windows lacks both constants; there, lstat alone detects links.
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

/**
 * Opens an existing file if it belongs to this user and has no second name. In a folder that others can write, the name
 * may be a link to another user's file, an endless pipe, or a file that its owner still writes to.
 *
 * @throws DownloadError of code `file-unwritable` if it is not such a file
 */
export async function openOwnFile(path: string, access: number): Promise<FileHandle> {
  const named = await lstat(path)
  if (!named.isFile()) throw foreign(path, 'it is not a file')
  const file = await open(path, access | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    throw errorCodeOf(error) === 'ELOOP' ? foreign(path, 'it is a link') : error
  })
  try {
    const stats = await file.stat()
    if (!isSameFile(stats, named) || !stats.isFile()) throw foreign(path, 'it was replaced while it was opened')
    if (stats.nlink > 1) throw foreign(path, 'it is a hard link')
    if (process.geteuid !== undefined && stats.uid !== process.geteuid())
      throw foreign(path, 'it belongs to another user')
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Whether a path still leads to the open file. */
export async function isStillNamed(path: string, file: FileHandle): Promise<boolean> {
  const [named, opened] = [await lstat(path).catch(() => undefined), await file.stat()]
  return named !== undefined && isSameFile(named, opened)
}

function isSameFile(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev
}

export function fileExists(path: string): DownloadError {
  const hint = 'Give force: true to replace it, or choose another file'
  return new DownloadError('file-exists', `${path} exists already`, { hint })
}

export function inUse(path: string): DownloadError {
  const hint = 'Wait until that has ended, then run it again'
  return new DownloadError('file-unwritable', `${path} cannot be written: another run downloads to it`, { hint })
}

export function foreign(path: string, why: string): DownloadError {
  const hint = 'Remove it, or choose another file'
  return new DownloadError('file-unwritable', `${path} cannot be used: ${why}`, { hint })
}

/** @throws DownloadError of code `file-unwritable` where the effect fails */
export async function orUnwritable<T>(path: string, effect: Promise<T>): Promise<T> {
  try {
    return await effect
  } catch (error) {
    if (error instanceof FileHostError) throw error
    const reason = errorCodeOf(error) === 'ENOENT' ? `the folder ${dirname(path)} does not exist` : reasonOf(error)
    throw new DownloadError('file-unwritable', `${path} cannot be written: ${reason}`, { cause: error })
  }
}

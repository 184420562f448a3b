import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { errorCodeOf } from '../../../system/system-errors.ts'
import { CliError } from '../../failures/cli-error.ts'

// Windows has neither; there a link is told from a file by its name.
const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

/** Creates a file where nothing has its name, not even a link that leads nowhere. */
export function createOwnFile(path: string, access: number, mode: number): Promise<FileHandle> {
  return open(path, access | O_CREAT | O_EXCL, mode)
}

/**
 * Opens a file that is there, if it is this user's and has no other name: in a folder that others can write, what lies in
 * its place may be a link to a file of somebody else, a pipe without an end, or a file its owner still writes.
 *
 * @throws CliError of code `file-unwritable` where it is none
 */
export async function openOwnFile(path: string, access: number): Promise<FileHandle> {
  const named = await lstat(path)
  if (!named.isFile()) throw foreign(path, 'it is no file')
  const file = await open(path, access | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    throw errorCodeOf(error) === 'ELOOP' ? foreign(path, 'it is a link') : error
  })
  try {
    const stats = await file.stat()
    if (!isSameFile(stats, named) || !stats.isFile()) throw foreign(path, 'it changed while it was opened')
    if (stats.nlink > 1) throw foreign(path, 'it has a second name')
    if (process.geteuid !== undefined && stats.uid !== process.geteuid())
      throw foreign(path, 'it belongs to another user')
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Whether a name still leads to the file that is open. */
export async function isStillNamed(path: string, file: FileHandle): Promise<boolean> {
  const [named, opened] = [await lstat(path).catch(() => undefined), await file.stat()]
  return named !== undefined && isSameFile(named, opened)
}

/** @throws CliError of code `file-unwritable` */
export function foreign(path: string, why: string): CliError {
  return new CliError('file-unwritable', `${path} is not written to: ${why}`, {
    hint: 'Remove it, or name another file',
  })
}

function isSameFile(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev
}

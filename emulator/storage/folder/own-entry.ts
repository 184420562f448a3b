import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { isNamed, noFollow, noWait } from '../../../src/system/private-file.ts'
import { errorCodeOf } from '../../../src/system/system-errors.ts'

/** A file or folder of the emulator's is something else, which the emulator did not create. */
export class ForeignEntryError extends Error {
  override readonly name = 'ForeignEntryError'
}

/** `read` only reads, `update` changes an existing file, `write` creates it if needed. */
export type Purpose = 'read' | 'update' | 'write'

const flagsOf: Readonly<Record<Purpose, number>> = {
  read: constants.O_RDONLY,
  update: constants.O_RDWR,
  write: constants.O_RDWR | constants.O_CREAT,
}

/**
 * Opens a regular file that has no other name; follows no links. Checks the opened file rather than the path, which
 * could change in between.
 * @throws ForeignEntryError if it is anything else; the system's error if it does not exist
 */
export async function openOwn(path: string, purpose: Purpose): Promise<FileHandle> {
  const flags = flagsOf[purpose] | (noFollow ?? 0) | noWait
  const handle = await open(path, flags, 0o600).catch((error) => refuseLink(path, error))
  try {
    const found = await handle.stat()
    expectOwn(path, found, purpose)
    if (noFollow === undefined && !isNamed(path, found)) throw new ForeignEntryError(`${path} is ${aLink}`)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * Checks a file that another library will open.
 * @throws ForeignEntryError if it is not a regular file with one name
 */
export async function expectOwnFile(path: string): Promise<void> {
  const found = await lstat(path).catch(nothingIfMissing)
  if (found !== undefined) expectOwn(path, found, 'write')
}

/** @throws ForeignEntryError if the path is a link or a file */
export async function expectFolder(path: string): Promise<void> {
  const found = await lstat(path)
  if (!found.isDirectory()) throw new ForeignEntryError(`${path} is ${found.isSymbolicLink() ? aLink : 'not a folder'}`)
}

const aLink = 'a link, which is not followed'

function expectOwn(path: string, found: Stats, purpose: Purpose): void {
  if (found.isSymbolicLink()) throw new ForeignEntryError(`${path} is ${aLink}`)
  if (!found.isFile()) throw new ForeignEntryError(`${path} is not a regular file`)
  if (purpose !== 'read' && found.nlink > 1) {
    throw new ForeignEntryError(`${path} is a hard link, and its other name would change too`)
  }
}

/** Opening a link fails with ELOOP, or EMLINK on FreeBSD. */
function refuseLink(path: string, error: unknown): never {
  const code = errorCodeOf(error)
  if (code === 'ELOOP' || code === 'EMLINK') throw new ForeignEntryError(`${path} is ${aLink}`, { cause: error })
  throw error
}

export function nothingIfMissing(error: unknown): undefined {
  if (errorCodeOf(error) === 'ENOENT') return undefined
  throw error
}

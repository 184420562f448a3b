import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { errorCodeOf } from '../../../src/system/system-errors.ts'

/** A file or folder of the emulator's is something else, which the emulator did not create. */
export class ForeignEntryError extends Error {
  override readonly name = 'ForeignEntryError'
}

/** `read` only reads, `update` changes an existing file, `write` creates it if needed. */
export type Purpose = 'read' | 'update' | 'write'

/** Missing on Windows, where the path is compared with the opened file instead. */
const noFollow: number | undefined = constants.O_NOFOLLOW

/** Otherwise opening a pipe would block. */
const noWait: number = constants.O_NONBLOCK ?? 0

const flagsOf: Readonly<Record<Purpose, number>> = {
  read: constants.O_RDONLY,
  update: constants.O_RDWR,
  write: constants.O_WRONLY | constants.O_CREAT,
}

/**
 * Opens a regular file that has no other name; follows no links. Checks the opened file rather than the path, which
 * could change in between.
 * @throws ForeignEntryError if it is anything else; the system's error if it does not exist
 */
export async function openOwn(path: string, purpose: Purpose): Promise<FileHandle> {
  const handle = await open(path, flags(purpose), 0o600).catch((error) => refuseLink(path, error))
  try {
    expectOwn(path, await handle.stat(), purpose)
    if (noFollow === undefined) expectSameFile(path, await handle.stat(), await lstat(path))
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Synchronous {@link openOwn}. @returns the descriptor, which the caller closes */
export function openOwnSync(path: string, purpose: Purpose): number {
  let file: number
  try {
    file = openSync(path, flags(purpose), 0o600)
  } catch (error) {
    return refuseLink(path, error)
  }
  try {
    expectOwn(path, fstatSync(file), purpose)
    if (noFollow === undefined) expectSameFile(path, fstatSync(file), lstatSync(path))
    return file
  } catch (error) {
    closeSync(file)
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

const aLink = 'a link, which the emulator does not follow'

function flags(purpose: Purpose): number {
  return flagsOf[purpose] | (noFollow ?? 0) | noWait
}

function expectOwn(path: string, found: Stats, purpose: Purpose): void {
  if (found.isSymbolicLink()) throw new ForeignEntryError(`${path} is ${aLink}`)
  if (!found.isFile()) throw new ForeignEntryError(`${path} is not a regular file`)
  if (purpose !== 'read' && found.nlink > 1) {
    throw new ForeignEntryError(`${path} is a hard link, and its other name would change too`)
  }
}

function expectSameFile(path: string, opened: Stats, named: Stats): void {
  if (named.isSymbolicLink() || named.ino !== opened.ino || named.dev !== opened.dev) {
    throw new ForeignEntryError(`${path} is ${aLink}`)
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

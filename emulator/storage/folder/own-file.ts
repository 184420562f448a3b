import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'

/** What stands where the emulator keeps a file or a folder of its own, and is not one that it made. */
export class ForeignEntryError extends Error {
  override readonly name = 'ForeignEntryError'
}

/** Read where a file is only read; written where it is made, or emptied and written. */
export type Purpose = 'read' | 'update' | 'write'

/** Absent on Windows, where the entry is compared with what was opened instead. */
const noFollow: number | undefined = constants.O_NOFOLLOW

/** A pipe would otherwise hold up whoever opens it. */
const noWait: number = constants.O_NONBLOCK ?? 0

const flagsOf: Readonly<Record<Purpose, number>> = {
  read: constants.O_RDONLY,
  update: constants.O_RDWR,
  write: constants.O_WRONLY | constants.O_CREAT,
}

/**
 * Opens a regular file that has no other name, and follows no link. The file that was opened is judged, not the name,
 * which may lead elsewhere a moment later.
 * @throws ForeignEntryError where something else is there; the system's error where there is nothing
 */
export async function openOwn(path: string, purpose: Purpose): Promise<FileHandle> {
  const handle = await open(path, flags(purpose), 0o600).catch((error) => refuseLink(path, error))
  try {
    judge(path, await handle.stat(), purpose)
    if (noFollow === undefined) compare(path, await handle.stat(), await lstat(path))
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** As {@link openOwn}, in one stretch. @returns the file's descriptor, which the caller closes */
export function openOwnNow(path: string, purpose: Purpose): number {
  let file: number
  try {
    file = openSync(path, flags(purpose), 0o600)
  } catch (error) {
    return refuseLink(path, error)
  }
  try {
    judge(path, fstatSync(file), purpose)
    if (noFollow === undefined) compare(path, fstatSync(file), lstatSync(path))
    return file
  } catch (error) {
    closeSync(file)
    throw error
  }
}

/**
 * Makes sure of a file that another library opens.
 * @throws ForeignEntryError where something else is there
 */
export async function expectOwnFile(path: string): Promise<void> {
  const found = await lstat(path).catch(nothingIfMissing)
  if (found !== undefined) judge(path, found, 'write')
}

/** @throws ForeignEntryError where a link or a file stands in the place of a folder */
export async function expectOwnFolder(path: string): Promise<void> {
  const found = await lstat(path)
  if (!found.isDirectory()) throw new ForeignEntryError(`${path} is ${found.isSymbolicLink() ? aLink : 'no folder'}`)
}

const aLink = 'a link, and the emulator follows none there'

function flags(purpose: Purpose): number {
  return flagsOf[purpose] | (noFollow ?? 0) | noWait
}

function judge(path: string, found: Stats, purpose: Purpose): void {
  if (found.isSymbolicLink()) throw new ForeignEntryError(`${path} is ${aLink}`)
  if (!found.isFile()) throw new ForeignEntryError(`${path} is no regular file`)
  if (purpose !== 'read' && found.nlink > 1) {
    throw new ForeignEntryError(`${path} is a file that has another name too, where it would change as well`)
  }
}

function compare(path: string, opened: Stats, named: Stats): void {
  if (named.isSymbolicLink() || named.ino !== opened.ino || named.dev !== opened.dev) {
    throw new ForeignEntryError(`${path} is ${aLink}`)
  }
}

/** Opening a link that may not be followed is ELOOP, or EMLINK on FreeBSD. */
function refuseLink(path: string, error: unknown): never {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ELOOP' || code === 'EMLINK') throw new ForeignEntryError(`${path} is ${aLink}`, { cause: error })
  throw error
}

export function nothingIfMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}

import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  type Stats,
  writeSync,
} from 'node:fs'
import { errorCodeOf } from './system-errors.ts'

/** Why a file or folder under a private name is not used. */
export type FileFault = 'link' | 'kind' | 'owner' | 'second-name' | 'writable'

const words: Readonly<Record<FileFault, string>> = {
  link: 'is a link, which is not followed',
  kind: 'is not a regular file',
  owner: 'belongs to another user',
  'second-name': 'has a second name (a hard link)',
  writable: 'can be written by others',
}

/** A file or folder under a private name is not used, because another user may have made it or be able to read it. */
export class ForeignFileError extends Error {
  override readonly name = 'ForeignFileError'
  readonly path: string
  readonly fault: FileFault

  constructor(path: string, fault: FileFault) {
    super(`${path} ${words[fault]}`)
    this.path = path
    this.fault = fault
  }
}

const { O_RDONLY, O_WRONLY, O_RDWR } = constants

/** Missing on Windows, where the opened file is compared with the one under its name instead. */
export const noFollow: number | undefined = constants.O_NOFOLLOW

/** Without it, opening a pipe may never return. */
export const noWait: number = constants.O_NONBLOCK ?? 0

/**
 * Opens a private file without following a link. It checks the opened file, because the name may lead elsewhere a moment
 * later: it has to be a regular file of a trusted user. A file opened for writing may have no second name, and becomes
 * private.
 *
 * @param flags those of `open`; a new file is private
 * @param isBelieved whose files may be used; default: this user's and root's
 * @returns the descriptor, which the caller closes
 * @throws ForeignFileError for anything else under that name; the system's error if the file is missing or refused
 */
export function openPrivateFile(path: string, flags: number, isBelieved: typeof isTrusted = isTrusted): number {
  const file = openUnfollowed(path, flags)
  try {
    const found = fstatSync(file)
    if (!found.isFile()) throw new ForeignFileError(path, 'kind')
    if (!isBelieved(found)) throw new ForeignFileError(path, 'owner')
    if (noFollow === undefined && !isNamed(path, found)) throw new ForeignFileError(path, 'link')
    if ((flags & (O_WRONLY | O_RDWR)) !== 0) prepareWriting(path, file, found)
    return file
  } catch (error) {
    closeSync(file)
    throw error
  }
}

/** @throws like {@link openPrivateFile} */
export function readPrivateFile(path: string, isBelieved?: typeof isTrusted): Buffer {
  const file = openPrivateFile(path, O_RDONLY, isBelieved)
  try {
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

/**
 * Writes a text over another one, for a file that cannot be replaced. Blanks make it as long as the old text until that is
 * cut off, so that a kill between leaves no end of the old one.
 * @throws like {@link openPrivateFile}
 */
export function overwritePrivateFile(path: string, text: string): void {
  const file = openPrivateFile(path, O_RDWR)
  try {
    writeSync(file, text.padEnd(fstatSync(file).size), 0)
    ftruncateSync(file, Buffer.byteLength(text))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function prepareWriting(path: string, file: number, { nlink, mode }: Stats): void {
  if (nlink > 1) throw new ForeignFileError(path, 'second-name')
  if ((mode & 0o077) === 0) return
  try {
    fchmodSync(file, 0o600)
  } catch {
    // Some file systems have no permissions.
  }
}

/** Whether a path, without following links, has the file of these stats. */
export function isNamed(path: string, { ino, dev }: Pick<Stats, 'ino' | 'dev'>): boolean {
  const named = lstatSync(path, { throwIfNoEntry: false })
  return named?.ino === ino && named.dev === dev
}

/** Whether a file belongs to this user or to root, who can read and change everything anyway. */
export function isTrusted({ uid }: Pick<Stats, 'uid'>): boolean {
  return process.geteuid === undefined || uid === 0 || uid === process.geteuid()
}

/**
 * The target of a link that belongs to a trusted user; the path itself if it is not a link.
 * @throws ForeignFileError for a link of another user; the system's error for one that leads nowhere
 */
export function followOwnLink(path: string, isBelieved: typeof isTrusted = isTrusted): string {
  const found = lstatSync(path)
  if (!found.isSymbolicLink()) return path
  if (!isBelieved(found)) throw new ForeignFileError(path, 'link')
  return realpathSync(path)
}

function openUnfollowed(path: string, flags: number): number {
  try {
    return openSync(path, flags | (noFollow ?? 0) | noWait, 0o600)
  } catch (error) {
    throw faultOf(path, error)
  }
}

/** O_NOFOLLOW fails with ELOOP, or EMLINK on FreeBSD; a pipe without a reader and a socket fail with ENXIO. */
function faultOf(path: string, error: unknown): unknown {
  const code = errorCodeOf(error)
  if (code === 'ELOOP' || code === 'EMLINK') return new ForeignFileError(path, 'link')
  return code === 'ENXIO' ? new ForeignFileError(path, 'kind') : error
}

import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  type Stats,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { errorCodeOf } from './system-errors.ts'

/** Why a file or folder under a private name is not used. */
export type FileFault = 'link' | 'kind' | 'owner' | 'second-name'

const words: Readonly<Record<FileFault, string>> = {
  link: 'is a link, which is not followed',
  kind: 'is not a regular file',
  owner: 'belongs to another user',
  'second-name': 'has a second name (a hard link)',
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

/** O_NOFOLLOW is missing on Windows. Without O_NONBLOCK, opening a pipe may never return. */
const { O_WRONLY, O_RDWR, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

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
    const isWritten = (flags & (O_WRONLY | O_RDWR)) !== 0
    if (!found.isFile()) throw new ForeignFileError(path, 'kind')
    if (!isBelieved(found)) throw new ForeignFileError(path, 'owner')
    if (O_NOFOLLOW === 0 && lstatSync(path).ino !== found.ino) throw new ForeignFileError(path, 'link')
    if (isWritten && found.nlink > 1) throw new ForeignFileError(path, 'second-name')
    if (isWritten && (found.mode & 0o077) !== 0) makePrivate(file)
    return file
  } catch (error) {
    closeSync(file)
    throw error
  }
}

/** O_NOFOLLOW fails with ELOOP, or EMLINK on FreeBSD; a pipe without a reader and a socket fail with ENXIO. */
function openUnfollowed(path: string, flags: number): number {
  try {
    return openSync(path, flags | O_NOFOLLOW | O_NONBLOCK, 0o600)
  } catch (error) {
    const code = errorCodeOf(error)
    if (code === 'ELOOP' || code === 'EMLINK') throw new ForeignFileError(path, 'link')
    throw code === 'ENXIO' ? new ForeignFileError(path, 'kind') : error
  }
}

function makePrivate(file: number): void {
  try {
    fchmodSync(file, 0o600)
  } catch {
    // Some file systems have no permissions.
  }
}

/** Whether a file belongs to this user or to root, who can read and change everything anyway. */
export function isTrusted({ uid }: Pick<Stats, 'uid'>): boolean {
  return process.geteuid === undefined || uid === 0 || uid === process.geteuid()
}

/**
 * Makes a folder, and those it lies in, for their owner's eyes only.
 *
 * @throws ForeignFileError where its name is a link of another user, or leads to another user's folder; the system's
 * error where it cannot be made
 */
export function makePrivateFolder(folder: string): void {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found?.isSymbolicLink() && !(isTrusted(found) && isTrusted(statSync(folder)))) {
    throw new ForeignFileError(folder, 'link')
  }
  if (found) return
  // Node's own `recursive` never ends on a file system that knows no new folders, as /proc.
  const parent = dirname(folder)
  if (parent !== folder) makePrivateFolder(parent)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have been faster.
    if (errorCodeOf(error) !== 'EEXIST') throw error
  }
}

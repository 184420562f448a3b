import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  type Stats,
} from 'node:fs'

/** What is wrong with a file or a folder that stands under the name of one of ours. */
export type FileFault = 'link' | 'kind' | 'owner' | 'second-name' | 'writable'

const words: Readonly<Record<FileFault, string>> = {
  link: 'is a link, which is not followed',
  kind: 'is not a regular file',
  owner: 'belongs to another user',
  'second-name': 'has a second name (a hard link)',
  writable: 'can be written by others',
}

/** What stands under the name of a file or a folder of ours is not used: it may lead to, or come from, somebody else. */
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

/** Absent on Windows, where what was opened is compared with what has the name. */
const noFollow: number | undefined = constants.O_NOFOLLOW

/** A pipe would otherwise hold up who opens it. */
const noWait: number = constants.O_NONBLOCK ?? 0

/**
 * Opens a file of ours without following a link. The file that was opened is judged, for the name may lead elsewhere a
 * moment later: a regular file of a user who is believed; one that is written has no second name, and becomes private.
 *
 * @param flags as of `open`; a file that is made is private
 * @param isBelieved of whose files may be used; those of this user and of root where it is not given
 * @returns the descriptor, which the caller closes
 * @throws ForeignFileError where something else is there; the system's error where there is nothing, or it is refused
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

/** @throws as {@link openPrivateFile} does */
export function readPrivateFile(path: string): Buffer {
  const file = openPrivateFile(path, O_RDONLY)
  try {
    return readFileSync(file)
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
    // Some file systems know no permissions.
  }
}

/** Whether a name, which is not followed, has the file that these are of. */
export function isNamed(path: string, { ino, dev }: Pick<Stats, 'ino' | 'dev'>): boolean {
  const named = lstatSync(path, { throwIfNoEntry: false })
  return named?.ino === ino && named.dev === dev
}

/** Root may read and change everything, so what belongs to root is as good as ours. */
export function isTrusted({ uid }: Pick<Stats, 'uid'>): boolean {
  return process.geteuid === undefined || uid === 0 || uid === process.geteuid()
}

/**
 * Where a link of a user who is believed leads; the path itself where it is no link.
 * @throws ForeignFileError where the link belongs to another; the system's error where it leads nowhere
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

/** A link that may not be followed is ELOOP, or EMLINK on FreeBSD; a pipe without a reader or a socket is ENXIO. */
function faultOf(path: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ELOOP' || code === 'EMLINK') return new ForeignFileError(path, 'link')
  return code === 'ENXIO' ? new ForeignFileError(path, 'kind') : error
}

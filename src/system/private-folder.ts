import { chmodSync, lstatSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ForeignFileError, isTrusted } from './private-file.ts'
import { errorCodeOf } from './system-errors.ts'

/**
 * Makes a folder, and those it lies in, for their owner's eyes only.
 *
 * @returns whether it was not there before
 * @throws ForeignFileError where its name is a link of another user, or leads to another user's folder; the system's
 * error where it cannot be made
 */
export function makePrivateFolder(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found !== undefined) {
    const isForeign = found.isSymbolicLink() && !(isTrusted(found) && isTrusted(statSync(folder)))
    if (isForeign) throw new ForeignFileError(folder, 'link')
    return false
  }
  // Node's own `recursive` never ends on a file system that knows no new folders, as /proc.
  const parent = dirname(folder)
  if (parent !== folder) makePrivateFolder(parent)
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch (error) {
    // Another process may have been faster.
    if (errorCodeOf(error) === 'EEXIST') return false
    throw error
  }
}

/**
 * Makes a folder that only its owner may enter.
 * @param isPlaceOurs whether fh chose the place: a folder that the user chose may serve others too, and keeps its permissions
 */
export function makeOwnFolder(folder: string, isPlaceOurs: boolean): void {
  makePrivateFolder(folder)
  if (isPlaceOurs) chmodSync(folder, 0o700)
}

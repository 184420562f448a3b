import { chmodSync, lstatSync, mkdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import type { Environment } from './environment.ts'
import { ForeignFileError, isTrusted } from './private-file.ts'
import { errorCodeOf } from './system-errors.ts'

/**
 * The folder for files that outlive a process: FH_STATE_DIR, else `fh` in XDG_STATE_HOME (~/.local/state) or, on Windows,
 * in LOCALAPPDATA. The command line and the library share it, so that they count together.
 */
export function stateFolder(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
  // Where HOME is set, node:os, which says the same, is not loaded: help needs nothing else of it.
  home = (platform !== 'win32' && env['HOME']) || homedir(),
): string {
  if (env['FH_STATE_DIR']) return env['FH_STATE_DIR']
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'fh')
  const base = env['XDG_STATE_HOME'] ?? ''
  // The XDG specification says to ignore relative paths.
  return join(isAbsolute(base) ? base : join(home, '.local', 'state'), 'fh')
}

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

/**
 * Makes sure of a folder that only `fh` makes; one that is not there is another matter.
 * @throws ForeignFileError where it is a link, or belongs to another user
 */
export function expectOwnFolder(folder: string): void {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found?.isSymbolicLink()) throw new ForeignFileError(folder, 'link')
  if (found !== undefined && !isTrusted(found)) throw new ForeignFileError(folder, 'owner')
}

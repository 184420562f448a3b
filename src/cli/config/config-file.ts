import { closeSync, constants, fstatSync, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { parseJson } from '../../checks/json.ts'
import type { Clock } from '../../clock.ts'
import { shellWord } from '../../environment/shell-word.ts'
import { endLock, openLock } from '../../store/sqlite.ts'
import { StoreError } from '../../store/store-error.ts'
import { ForeignFileError, followOwnLink, openPrivateFile } from '../../system/private-file.ts'
import { errorCodeOf, reasonOf } from '../../system/system-errors.ts'
import { CliError } from '../failures/cli-error.ts'
import type { Profile } from './settings.ts'

const { O_RDONLY, O_RDWR } = constants

/**
 * Reads the config file. It may be a link of this user to a file of theirs, as in a folder of dotfiles, and other users
 * may read it. A file that others may write is refused, since fh runs its `key_command`. Root reads a file of any user:
 * in a container the file may be mounted from outside.
 * @throws ForeignFileError, or the system's error if it does not exist or cannot be read
 */
export function readConfigFile(path: string): string {
  const isTrustedOwner = isRoot() ? () => true : undefined
  const target = followOwnLink(path, isTrustedOwner)
  const file = openPrivateFile(target, O_RDONLY, isTrustedOwner)
  try {
    if (process.platform !== 'win32' && (fstatSync(file).mode & 0o022) !== 0) {
      throw new ForeignFileError(target, 'writable')
    }
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

function isRoot(): boolean {
  return process.geteuid?.() === 0
}

export interface Config {
  readonly profiles: Readonly<Record<string, Profile>>
  /** The name of the profile that `fh config use` has chosen. */
  readonly profile: string | undefined
}

/** How long another process may change the file first. */
export interface Patience {
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
}

/**
 * Replaces parts of the file, and removes one that is undefined, atomically; follows a link of this user to a file of theirs,
 * and writes a file that has a mount of its own in place. Waits while another process does the same. The package conf is loaded here only, since most commands only read.
 *
 * @param change reads the file and says what to replace; no other process changes the file until that is done
 * @throws ForeignFileError, or the system's error
 */
export async function changeConfigFile(path: string, change: () => Partial<Config>, turn: Patience): Promise<void> {
  const { default: Conf } = await import('conf')
  const target = writableTarget(path)
  using _lock = await lockOf(target, turn)
  const changes = change()
  const conf = new Conf<Record<string, unknown>>({
    cwd: dirname(target),
    configName: basename(target),
    fileExtension: '',
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
    deserialize: (text) => Object(parseJson(text)),
  })
  try {
    for (const [name, part] of Object.entries(changes)) {
      if (part === undefined) conf.delete(name)
      else conf.set(name, part)
    }
  } catch (error) {
    // The file has a mount of its own: no rename replaces it.
    if (errorCodeOf(error) !== 'EBUSY') throw error
    writeFileSync(target, JSON.stringify({ ...conf.store, ...changes }, undefined, '\t'))
  }
}

const [TRIES, BETWEEN_TRIES_MS] = [50, 100]

/** Waits up to 5 s for another process that changes the file. @throws StoreError */
async function lockOf(target: string, { clock, signal }: Patience): Promise<Disposable> {
  const path = `${target}.lock`
  for (let tries = 1; ; tries += 1) {
    try {
      const lock = openLock(path)
      return { [Symbol.dispose]: () => endLock(path, lock) }
    } catch (error) {
      if (!isBusy(error) || tries === TRIES) throw error
    }
    await clock.sleep(BETWEEN_TRIES_MS, signal)
  }
}

function isBusy(error: unknown): error is StoreError {
  return error instanceof StoreError && error.failure === 'busy'
}

/** Refuses a file with a second hard link: writing replaces the file, and the other name would keep the old one. */
function writableTarget(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path
  const target = followOwnLink(path)
  closeSync(openPrivateFile(target, O_RDWR))
  return target
}

/** The error for a file that cannot be read or written, with a command that helps as hint. */
export function configFileError(path: string, what: 'read' | 'written', error: unknown): CliError {
  const reason = error instanceof StoreError ? error.reason : reasonOf(error)
  return new CliError('config-unusable', `The config file ${path} cannot be ${what}: ${reason}`, {
    hint: hintOf(error),
    cause: error,
  })
}

function hintOf(error: unknown): string {
  if (isBusy(error)) return 'Run the command again once that process has ended'
  if (errorCodeOf(error) === 'EROFS') return `Mount it, or its folder, so that it can be written, or ${elsewhere}`
  return error instanceof ForeignFileError ? remedyOf(error) : `Check its permissions, or ${elsewhere}`
}

const elsewhere = 'name another folder in FH_CONFIG_DIR'

function remedyOf({ path, fault }: ForeignFileError): string {
  const word = shellWord(path)
  switch (fault) {
    case 'writable':
      return `Check that no other user has changed it, then run chmod go-w ${word}`
    case 'owner':
      // For root, chown would take the file from its owner.
      if (isRoot()) return `Run it as the user to whom the file belongs, or ${elsewhere}`
      return `If it is yours, run sudo chown "$(id -u)" ${word}; else ${elsewhere}`
    case 'second-name':
      return `Run cp ${word} ${shellWord(`${path}.new`)} && mv ${shellWord(`${path}.new`)} ${word} to separate it from the other`
    case 'link':
    case 'kind':
      return `Run mv ${word} ${shellWord(`${path}.aside`)}, or ${elsewhere}`
  }
}

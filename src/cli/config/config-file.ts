import { closeSync, constants, fstatSync, lstatSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { ForeignFileError, followOwnLink, openPrivateFile } from '../../system/private-file.ts'
import { reasonOf } from '../../system/system-errors.ts'
import { CliError } from '../failures/cli-error.ts'
import { shellWord } from '../output/format/shell-word.ts'
import type { Profile } from './settings.ts'

const { O_RDONLY, O_RDWR } = constants

/**
 * The text of the config file. Many keep it in a folder of dotfiles and link it from here, so a link of this user to
 * their own file is followed. Others may read it, as they may read those dotfiles; what others may write is not
 * believed, for `key_command` is run. Root reads the file of any user, as in a container into which it is mounted.
 * @throws ForeignFileError, or the system's error where it is not there or cannot be read
 */
export function readConfigFile(path: string): string {
  const isBelieved = isRoot() ? () => true : undefined
  const target = followOwnLink(path, isBelieved)
  const file = openPrivateFile(target, O_RDONLY, isBelieved)
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

/**
 * Puts profiles into the file, whole or not at all; where it is a link of this user to their own file, into that one.
 * conf is loaded to write only: reading takes none of its checks, and most commands only read.
 * @throws ForeignFileError, or the system's error
 */
export async function writeConfigFile(path: string, profiles: Readonly<Record<string, Profile>>): Promise<void> {
  const target = writableTarget(path)
  const { default: Conf } = await import('conf')
  const conf = new Conf<{ profiles: Readonly<Record<string, Profile>> }>({
    cwd: dirname(target),
    configName: basename(target),
    fileExtension: '',
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
  })
  conf.set('profiles', profiles)
}

/** A file with a second name would lose it: another file takes its place. */
function writableTarget(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path
  const target = followOwnLink(path)
  closeSync(openPrivateFile(target, O_RDWR))
  return target
}

/** Explains why the file is not used, and with which command it can be. */
export function configTrouble(path: string, what: 'read' | 'written', error: unknown): CliError {
  return new CliError('config-unusable', `The config file ${path} cannot be ${what}: ${reasonOf(error)}`, {
    hint: error instanceof ForeignFileError ? remedyOf(error) : `Check its permissions, or ${elsewhere}`,
    cause: error,
  })
}

const elsewhere = 'name another folder in FH_CONFIG_DIR'

function remedyOf({ path, fault }: ForeignFileError): string {
  const word = shellWord(path)
  switch (fault) {
    case 'writable':
      return `Look whether it is still what you wrote, then run chmod go-w ${word}`
    case 'owner':
      // For root it would take the file from its owner.
      if (isRoot()) return `Run it as the user to whom the file belongs, or ${elsewhere}`
      return `If it is yours, run sudo chown "$(id -u)" ${word}; else ${elsewhere}`
    case 'second-name':
      return `Run cp ${word} ${shellWord(`${path}.new`)} && mv ${shellWord(`${path}.new`)} ${word} to part it from the other`
    case 'link':
    case 'kind':
      return `Run mv ${word} ${shellWord(`${path}.aside`)}, or ${elsewhere}`
  }
}

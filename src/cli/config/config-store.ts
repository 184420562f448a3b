import { chmodSync, closeSync, constants, fstatSync, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DEEPEST_JSON, isObject, isTooDeep, parseJson, parseNamedJson } from '../../checks/json.ts'
import { shellWord } from '../../environment/shell-word.ts'
import { configFolder, type Environment } from '../../system/environment.ts'
import { ForeignFileError, followOwnLink, makePrivateFolder, openPrivateFile } from '../../system/private-file.ts'
import { errorCodeOf, reasonOf } from '../../system/system-errors.ts'
import { CliError } from '../failures/cli-error.ts'
import { hints } from '../failures/hints.ts'

/** The settings stored in a profile, by their names. */
export type Profile = Readonly<Partial<Record<string, string>>>

/** The profile that commands use unless `fh config use` has chosen another. */
export const usualProfile = 'default'

export function isProfileName(name: string): boolean {
  return /^[\w.@-]{1,64}$/.test(name)
}

export interface Config {
  readonly profiles: Readonly<Record<string, Profile>>
  /** The name of the profile that `fh config use` has chosen. */
  readonly profile: string | undefined
}

/** The config file: named profiles of settings. A broken file is never overwritten. */
export class ConfigStore {
  readonly path: string
  readonly #env: Environment
  #known: Config | undefined

  constructor(env: Environment) {
    this.path = join(configFolder(env), 'config.json')
    this.#env = env
  }

  /**
   * All that is stored: the same object until fh changes the file.
   * @throws CliError with the path of a file that cannot be read
   */
  stored(): Config {
    this.#known ??= readConfig(this.path)
    return this.#known
  }

  /** One profile; empty if the file does not hold it. @throws CliError as {@link stored} does */
  profile(name: string): Profile {
    return profileOf(this.stored(), name)
  }

  /** Replaces a profile by what is made of it as the file has it now, or removes it if that is empty. */
  async changeProfile(name: string, change: (profile: Profile) => Profile): Promise<void> {
    await this.#write((before) => {
      const { [name]: _, ...others } = before.profiles
      const profile = change(profileOf(before, name))
      return { profiles: Object.keys(profile).length === 0 ? others : { ...others, [name]: profile } }
    })
  }

  /** Makes a profile the one that commands use by default. */
  async chooseProfile(name: string): Promise<void> {
    await this.#write(() => ({ profile: name === usualProfile ? undefined : name }))
  }

  /** Replaces parts of the file, and removes one that is undefined. Of two processes at once the last one wins. */
  async #write(change: (before: Config) => Partial<Config>): Promise<void> {
    const { path } = this
    // A broken file is told as such, before anything is made beside it.
    readConfig(path)
    try {
      makePrivateFolder(dirname(path))
      // A folder that the user chose may serve others too, and keeps its permissions.
      if (!this.#env['FH_CONFIG_DIR']) chmodSync(dirname(path), 0o700)
      const target = writableTarget(path)
      await replaceParts(target, change(readConfig(path)))
      this.#known = undefined
    } catch (error) {
      throw error instanceof CliError ? error : unusable(path, 'written', error)
    }
  }
}

/** One profile; empty if the file does not hold it. */
export function profileOf({ profiles }: Config, name: string): Profile {
  return Object.hasOwn(profiles, name) ? (profiles[name] ?? {}) : {}
}

/** @throws CliError with the path of a file that cannot be read or is broken */
function readConfig(path: string): Config {
  let text: string
  try {
    text = readPrivately(path)
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return { profiles: {}, profile: undefined }
    throw unusable(path, 'read', error)
  }
  try {
    const config = parseNamedJson(text)
    if (isTooDeep(text)) throw new TypeError(`it is nested more than ${DEEPEST_JSON} deep`)
    return parseConfig(config)
  } catch (error) {
    throw new CliError('config-broken', `The config file ${path} is broken: ${reasonOf(error)}`, {
      hint: hints.brokenConfig,
      cause: error,
    })
  }
}

/** @throws TypeError that says what is wrong */
function parseConfig(config: unknown): Config {
  if (!isObject(config)) throw new TypeError('it does not hold an object')
  const { profile } = config
  const profiles = config['profiles'] ?? {}
  if (!isObject(profiles)) throw new TypeError('"profiles" is not an object')
  if (profile !== undefined && (typeof profile !== 'string' || !isProfileName(profile))) {
    throw new TypeError('"profile" is not the name of a profile')
  }
  const parsed = Object.entries(profiles).map(([name, entry]) => [name, parseProfile(name, entry)] as const)
  return { profiles: Object.fromEntries(parsed), profile }
}

function parseProfile(name: string, profile: unknown): Profile {
  if (!isObject(profile)) throw new TypeError(`profile ${JSON.stringify(name)} is not an object`)
  const entries = Object.entries(profile).map(([key, value]): [string, string] => {
    if (typeof value === 'string' || typeof value === 'number') return [key, String(value)]
    throw new TypeError(`${JSON.stringify(key)} of profile ${JSON.stringify(name)} is not a text`)
  })
  return Object.fromEntries(entries)
}

/**
 * Reads the file. It may be a link of this user to a file of theirs, as in a folder of dotfiles, and other users may read
 * it. A file that others may write is refused, since fh runs its `key_command`. Root reads a file of any user: in a
 * container the file may be mounted from outside.
 * @throws ForeignFileError, or the system's error if it does not exist or cannot be read
 */
function readPrivately(path: string): string {
  const isTrustedOwner = isRoot() ? () => true : undefined
  const target = followOwnLink(path, isTrustedOwner)
  const file = openPrivateFile(target, constants.O_RDONLY, isTrustedOwner)
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
 * Writes a file atomically, or in place where it has a mount of its own. The package conf is loaded here only, since most
 * commands only read.
 */
async function replaceParts(target: string, parts: Partial<Config>): Promise<void> {
  const { default: Conf } = await import('conf')
  const conf = new Conf<Record<string, unknown>>({
    cwd: dirname(target),
    configName: basename(target),
    fileExtension: '',
    configFileMode: 0o600,
    deserialize: (text) => Object(parseJson(text)),
  })
  // JSON leaves out what is undefined.
  const changed = { ...conf.store, ...parts }
  try {
    conf.store = changed
  } catch (error) {
    // No rename replaces a file that has a mount of its own.
    if (errorCodeOf(error) !== 'EBUSY') throw error
    writeFileSync(target, JSON.stringify(changed, undefined, '\t'))
  }
}

/** Refuses a file with a second hard link: writing replaces the file, and the other name would keep the old one. */
function writableTarget(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path
  const target = followOwnLink(path)
  closeSync(openPrivateFile(target, constants.O_RDWR))
  return target
}

function unusable(path: string, what: 'read' | 'written', error: unknown): CliError {
  return new CliError('config-unusable', `The config file ${path} cannot be ${what}: ${reasonOf(error)}`, {
    hint: remedyOf(error),
    cause: error,
  })
}

/** What helps, as a command where there is one. */
function remedyOf(error: unknown): string {
  const elsewhere = 'name another folder in FH_CONFIG_DIR'
  if (errorCodeOf(error) === 'EROFS') return `Mount it, or its folder, so that it can be written, or ${elsewhere}`
  if (!(error instanceof ForeignFileError)) return `Check its permissions, or ${elsewhere}`
  const word = shellWord(error.path)
  if (error.fault === 'writable') return `Check that no other user has changed it, then run chmod go-w ${word}`
  if (error.fault === 'owner') return `Run it as the user to whom the file belongs, or ${elsewhere}`
  const other = shellWord(`${error.path}.new`)
  if (error.fault === 'second-name')
    return `Run cp ${word} ${other} && mv ${other} ${word} to separate it from the other`
  return `Run mv ${word} ${shellWord(`${error.path}.aside`)}, or ${elsewhere}`
}

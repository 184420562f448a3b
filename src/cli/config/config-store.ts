import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObject, parseJson, parseNamedJson } from '../../checks/json.ts'
import { configFolder, type Environment } from '../../system/environment.ts'
import { isTrusted, makePrivateFolder } from '../../system/private-file.ts'
import { errorCodeOf, reasonOf } from '../../system/system-errors.ts'
import { CliError } from '../failures/cli-error.ts'
import { hints } from '../failures/hints.ts'

export type Profile = Readonly<Partial<Record<string, string>>>

/** The profile that commands use unless `fh config use` has chosen another. */
export const usualProfile = 'default'

export interface Config {
  readonly profiles: Readonly<Record<string, Profile>>
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

  /** All that is stored: the same object until fh changes the file. */
  stored(): Config {
    this.#known ??= readConfig(this.path)
    return this.#known
  }

  /** Replaces a profile by what is made of it as the file has it now, or removes it if that is empty. */
  async changeProfile(name: string, change: (profile: Profile) => Profile): Promise<void> {
    const before = readConfig(this.path)
    const { [name]: _, ...others } = before.profiles
    const profile = change(profileOf(before, name))
    await this.#write({ profiles: Object.keys(profile).length === 0 ? others : { ...others, [name]: profile } })
  }

  async chooseProfile(name: string): Promise<void> {
    readConfig(this.path)
    await this.#write({ profile: name === usualProfile ? undefined : name })
  }

  /** Replaces parts of the file, and removes one that is undefined. Of two processes at once the last one wins. */
  async #write(parts: Partial<Config>): Promise<void> {
    const { path } = this
    // Most commands only read.
    const { default: Conf } = await import('conf')
    try {
      makePrivateFolder(dirname(path))
      // A folder that the user chose may serve others too, and keeps its permissions.
      if (!this.#env['FH_CONFIG_DIR']) chmodSync(dirname(path), 0o700)
      const conf = new Conf<Record<string, unknown>>({
        cwd: dirname(path),
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
        writeFileSync(path, JSON.stringify(changed, undefined, '\t'))
      }
      this.#known = undefined
    } catch (error) {
      throw unusable(path, 'cannot be written', error)
    }
  }
}

/** One profile; empty if the file does not hold it. */
export function profileOf({ profiles }: Config, name: string): Profile {
  return Object.hasOwn(profiles, name) ? (profiles[name] ?? {}) : {}
}

function readConfig(path: string): Config {
  let problem = 'cannot be read'
  try {
    const text = readTrusted(path)
    problem = 'is broken'
    return parseConfig(parseNamedJson(text))
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return { profiles: {}, profile: undefined }
    throw unusable(path, problem, error)
  }
}

function parseConfig(config: unknown): Config {
  const { profile, profiles = {} }: Readonly<Record<string, unknown>> = Object(config)
  const isText = (value: unknown) => typeof value === 'string' || typeof value === 'number'
  const isProfile = (entry: unknown) => isObject(entry) && Object.values(entry).every(isText)
  const isChoice = profile === undefined || typeof profile === 'string'
  if (!isObject(config) || !isObject(profiles) || !Object.values(profiles).every(isProfile) || !isChoice) {
    throw new TypeError('it does not have the form {"profile": NAME, "profiles": {NAME: {SETTING: VALUE}}}')
  }
  const texts = (entry: unknown) =>
    Object.fromEntries(Object.entries(Object(entry)).map(([name, value]) => [name, String(value)]))
  return {
    profile,
    profiles: Object.fromEntries(Object.entries(profiles).map(([name, entry]) => [name, texts(entry)])),
  }
}

/**
 * Reads the file, or that to which its name is a link, as in a folder of dotfiles. One that other users may write is refused,
 * since fh runs its `key_command`; root reads that of any user, since in a container it may be mounted from outside.
 */
function readTrusted(path: string): string {
  const stats = statSync(path)
  const isOwn = isTrusted(stats) || process.geteuid?.() === 0
  const isOpen = process.platform !== 'win32' && (stats.mode & 0o022) !== 0
  if (isOpen || !isOwn) throw new Error('other users can write it')
  // Reading a pipe would wait for ever.
  if (!stats.isFile()) throw new Error('it is not a file')
  return readFileSync(path, 'utf8')
}

function unusable(path: string, problem: string, cause: unknown): CliError {
  return new CliError('config-unusable', `The config file ${path} ${problem}: ${reasonOf(cause)}`, {
    hint: hints.config,
    cause,
  })
}

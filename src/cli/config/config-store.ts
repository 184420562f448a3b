import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, parseNamedJson } from '../../checks/json.ts'
import { DEEPEST_JSON, isTooDeep } from '../../protocol/json-depth.ts'
import { type Environment, readVariable } from '../../system/environment.ts'
import { makePrivateFolder } from '../../system/private-file.ts'
import { isAbort } from '../../system/signals.ts'
import { errorCodeOf, reasonOf } from '../../system/system-errors.ts'
import { configFolder } from '../../system/user-folders.ts'
import { CliError, usageError } from '../failures/cli-error.ts'
import { type Config, changeConfigFile, configFileError, type Patience, readConfigFile } from './config-file.ts'
import type { GlobalFlags } from './global-flags.ts'
import type { Profile } from './settings.ts'

/** The config file: named profiles of settings. */
export function createConfigStore(env: Environment, turn: Patience) {
  const folder = configFolder(env)
  const path = join(folder, 'config.json')
  const readNow = () => parseConfig(path, readConfig(path))
  let known: Config | undefined
  /** Once in a run, and again after a change. */
  const read = () => {
    known ??= readNow()
    return known
  }
  const write = async (change: (before: Config) => Partial<Config>) => {
    // A broken file is told as such, before anything is made beside it.
    readNow()
    try {
      makePrivateFolder(folder)
      // A folder that the user chose may serve others too, and keeps its permissions.
      if (!env['FH_CONFIG_DIR']) chmodSync(folder, 0o700)
      await changeConfigFile(path, () => change(readNow()), turn)
      known = undefined
    } catch (error) {
      throw error instanceof CliError || isAbort(error) ? error : configFileError(path, 'written', error)
    }
  }
  return {
    path,
    /** All that is stored: the same object until fh changes the file. @throws CliError as {@link profile} does */
    stored: read,
    /**
     * One profile; empty if the file does not hold it.
     * @throws CliError with the path of a file that cannot be read
     */
    profile: (name: string): Profile => profileOf(read(), name),
    /** The names of all profiles. @throws CliError as {@link profile} does */
    profileNames: (): readonly string[] => Object.keys(read().profiles),
    /**
     * Replaces a profile by what is made of it, or removes it if that is empty. No other process changes the file between. A
     * broken file is never overwritten.
     */
    changeProfile: (name: string, change: (profile: Profile) => Profile) =>
      write((before) => {
        const { [name]: _, ...others } = before.profiles
        const profile = change(profileOf(before, name))
        return { profiles: Object.keys(profile).length === 0 ? others : { ...others, [name]: profile } }
      }),
    /** Makes a profile the one that commands use by default. A broken file is never overwritten. */
    chooseProfile: (name: string) => write(() => ({ profile: name === usualProfile ? undefined : name })),
  }
}

function profileOf({ profiles }: Config, name: string): Profile {
  return Object.hasOwn(profiles, name) ? (profiles[name] ?? {}) : {}
}

function readConfig(path: string): unknown {
  let text: string
  try {
    text = readConfigFile(path)
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return {}
    throw configFileError(path, 'read', error)
  }
  let config: unknown
  try {
    config = parseNamedJson(text)
  } catch (error) {
    throw broken(path, reasonOf(error), error)
  }
  if (isTooDeep(text)) throw broken(path, `it is nested more than ${DEEPEST_JSON} deep`)
  return config
}

function parseConfig(path: string, config: unknown): Config {
  if (!isObject(config)) throw broken(path, 'it does not hold an object')
  const { profiles: stored, profile } = config
  const profiles = stored ?? {}
  if (!isObject(profiles)) throw broken(path, '"profiles" is not an object')
  if (profile !== undefined && (typeof profile !== 'string' || !isProfileName(profile))) {
    throw broken(path, '"profile" is not the name of a profile')
  }
  const parsed = Object.entries(profiles).map(([name, entry]) => [name, parseProfile(path, name, entry)] as const)
  return { profiles: Object.fromEntries(parsed), profile }
}

function parseProfile(path: string, name: string, profile: unknown): Profile {
  if (!isObject(profile)) throw broken(path, `profile ${JSON.stringify(name)} is not an object`)
  const entries = Object.entries(profile).map(([key, value]): [string, string] => {
    if (typeof value === 'string' || typeof value === 'number') return [key, String(value)]
    throw broken(path, `${JSON.stringify(key)} of profile ${JSON.stringify(name)} is not a text`)
  })
  return Object.fromEntries(entries)
}

function broken(path: string, reason: string, cause?: unknown): CliError {
  return new CliError('config-broken', `The config file ${path} is broken: ${reason}`, {
    hint: 'It was not changed: fix it, or move it away and run fh login',
    cause,
  })
}

/** The profile that commands use unless `fh config use` has chosen another. */
export const usualProfile = 'default'

/**
 * The profile in use: --profile, else FH_PROFILE, else the chosen one, else `default`.
 * @param chosen the one that `fh config use` has stored
 */
export function profileInUse(flags: GlobalFlags, env: Environment, chosen?: string) {
  const [name, place] = namedProfile(flags, env, chosen)
  const byDefault = chosen ?? usualProfile
  return {
    name: checkProfileName(name, place),
    /** What names it; undefined where nothing does. */
    place,
    /** The one that commands use without a flag and without a variable. */
    byDefault,
    /** ` --profile NAME`, for a command in a hint; empty where that command uses the profile without it. */
    flag: name === byDefault ? '' : ` --profile ${name}`,
  }
}

/** The profile in use, and the others. */
export interface ProfileInUse extends ReturnType<typeof profileInUse> {
  known(): readonly string[]
  stored(): Profile
}

function namedProfile({ profile }: GlobalFlags, env: Environment, chosen: string | undefined) {
  if (profile !== undefined) return [profile, '--profile'] as const
  const named = readVariable(env, 'FH_PROFILE')
  if (named) return [named, 'FH_PROFILE'] as const
  return [chosen ?? usualProfile, chosen === undefined ? undefined : 'fh config use'] as const
}

/** @throws CliError of code `usage` that names the place of a name that no profile can have */
export function checkProfileName(name: string, place: string | undefined): string {
  if (isProfileName(name)) return name
  throw usageError(`${place}: ${JSON.stringify(name)} is not a valid profile name`, 'Use letters, digits and . _ - @')
}

export function isProfileName(name: string): boolean {
  return /^[\w.@-]{1,64}$/.test(name)
}

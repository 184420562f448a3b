import { type Environment, readVariable } from '../../system/environment.ts'
import { usageError } from '../failures/cli-error.ts'
import type { GlobalFlags } from './global-flags.ts'
import type { Profile } from './settings.ts'

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

import { checkProfileName, type ProfileInUse, usualProfile } from '../../config/config-store.ts'
import type { Profile } from '../../config/settings.ts'
import type { Context } from '../../context/context.ts'
import { usageError } from '../../failures/cli-error.ts'
import { didYouMean } from '../../failures/did-you-mean.ts'
import type { ListedProfile } from '../../output/documents.ts'
import type { Reporter } from '../../output/events.ts'

/** Lists the profiles of the config file. */
export function listProfiles({ config, profile, reporter, io }: Context): void {
  const inUse = profile()
  const { byDefault } = inUse
  const names = config.profileNames()
  const data = names.map((name) => listedProfile(name, config.profile(name), byDefault))
  const isTable = io.stdout.isTTY === true
  reporter.report({ type: 'document', document: { type: 'profiles', data, isTable } })
  if (names.length === 0) reporter.report({ type: 'note', note: { type: 'no-profiles' } })
  else if (!names.includes(byDefault)) {
    reporter.report({ type: 'note', note: { type: 'default-not-stored', name: byDefault } })
  }
  reportOverridden(inUse, reporter)
}

function listedProfile(name: string, { base_url, api_key, key_command }: Profile, byDefault: string): ListedProfile {
  const key = api_key === undefined ? (key_command === undefined ? null : 'key_command') : 'stored'
  return { name, base_url: base_url ?? null, key, default: name === byDefault }
}

/** Makes a profile the one that commands use by default. */
export async function useProfile(wanted: string, { config, profile, reporter }: Context): Promise<void> {
  const names = config.profileNames()
  if (checkProfileName(wanted, 'fh config use') !== usualProfile && !names.includes(wanted))
    throw notStored(wanted, names)
  await config.chooseProfile(wanted)
  const { base_url = null } = config.profile(wanted)
  reporter.report({ type: 'effect', effect: { type: 'profile-chosen', data: { profile: wanted, base_url } } })
  reportOverridden(profile(), reporter)
}

function notStored(wanted: string, names: readonly string[]) {
  const how = names.length === 0 ? 'No profile is stored yet; fh login adds one' : 'fh config profiles lists them'
  const hint = didYouMean(wanted, [...names, usualProfile], how)
  return usageError(`There is no profile ${JSON.stringify(wanted)}`, hint)
}

/** Says where a variable names another profile than the default. */
function reportOverridden({ name, place, byDefault }: ProfileInUse, reporter: Reporter): void {
  if (place !== 'FH_PROFILE' || name === byDefault) return
  reporter.report({ type: 'note', note: { type: 'default-outranked', place, name } })
}

import type { Outranked } from '../output/notes.ts'
import type { SettingName } from './setting-definitions.ts'
import { describeOrigin, type Profile, type Settings } from './settings.ts'

/** The stored settings that a flag or the environment overrides, so that changing them has no effect now. */
export function outrankedSettings(
  names: readonly SettingName[],
  used: Settings,
  { name: holder, stored }: { readonly name: string; readonly stored: Profile },
): readonly Outranked[] {
  return names.flatMap((name) => {
    const origin = used[name]?.origin
    if (stored[name] === undefined || origin === undefined || origin.type === 'profile') return []
    return [{ type: 'outranked', setting: name, profile: holder, origin: describeOrigin(origin) }]
  })
}

import type { SettingName } from './setting-definitions.ts'
import { describeOrigin, type Profile, type Settings } from './settings.ts'

/**
 * What is stored and not used: whoever reads or changes it would wonder why nothing comes of it.
 * @param names which settings to look at
 * @returns a sentence on each
 */
export function outrankedTexts(
  names: readonly SettingName[],
  used: Settings,
  { name: holder, stored }: { readonly name: string; readonly stored: Profile },
): readonly string[] {
  return names.flatMap((name) => {
    const origin = used[name]?.origin
    if (stored[name] === undefined || origin === undefined || origin.type === 'profile') return []
    return [`${describeOrigin(origin)} outranks the ${name} stored in profile ${holder}`]
  })
}

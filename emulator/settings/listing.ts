import {
  answerDefinitions,
  definitions,
  quotaDefinitions,
  type SettingDefinition,
  uploadDefinitions,
} from './definitions.ts'
import { type Dialect, dialectSettings, dialects } from './dialects.ts'
import { createSettings, type Settings } from './settings.ts'

/** A setting as the control API tells of it. */
export interface SettingListing {
  readonly name: keyof Settings
  readonly group: 'service' | 'quota' | 'answers' | 'files'
  /** What it decides and what its values mean; code stands between backquotes. */
  readonly description: string
  /** What it takes, in words, and its values if they can be listed. */
  readonly accepts: string
  readonly values: readonly unknown[] | null
  readonly default: unknown
  /** Its value in each dialect; null for what no dialect decides: how much, not how. */
  readonly dialects: Readonly<Record<Dialect, unknown>> | null
}

const undecided: ReadonlySet<string> = new Set(['api_enabled', 'max_file_size', 'quotas'])

/** Every setting, in the order of docs/settings.md. */
export function settingListings(): readonly SettingListing[] {
  const names = Object.keys(dialects) as readonly Dialect[]
  const values = names.map((dialect) => [dialect, createSettings(dialectSettings(dialect)).current] as const)
  return (Object.keys(definitions) as (keyof Settings)[]).map((name) => {
    const { type, default: usual, description }: SettingDefinition<unknown> = definitions[name]
    return {
      name,
      group: groupOf(name),
      description,
      accepts: type.accepts,
      values: type.values ?? null,
      default: usual,
      dialects: undecided.has(name) ? null : Object.fromEntries(values.map(([dialect, of]) => [dialect, of[name]])),
    } as SettingListing
  })
}

function groupOf(name: string): SettingListing['group'] {
  if (name in quotaDefinitions || name === 'quotas') return 'quota'
  if (name in answerDefinitions) return 'answers'
  return name in uploadDefinitions || name === 'max_file_size' ? 'files' : 'service'
}

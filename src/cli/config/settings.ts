import type { QuotaLimits } from '../../index.ts'
import { type Environment, readVariable, withoutQuotes } from '../../system/environment.ts'
import { usageError } from '../failures/cli-error.ts'
import type { Verbosity } from '../output/events.ts'
import type { GlobalFlags } from './global-flags.ts'
import { definitionOf, flagGiven, type SettingName, settingNames } from './setting-definitions.ts'
import { type SettingValue, valuesOf } from './setting-values.ts'

export type Origin =
  | { readonly type: 'flag'; readonly name: string }
  | { readonly type: 'env'; readonly name: string }
  | { readonly type: 'profile'; readonly name: string }
  | { readonly type: 'default' }

/** A value as it was written, and where. */
export interface Setting {
  readonly value: string
  readonly origin: Origin
}

export type Profile = Readonly<Partial<Record<string, string>>>

export type GivenSettings = Readonly<Partial<Record<SettingName, Setting>>>

export interface SettingSources {
  readonly flags: GlobalFlags
  readonly env: Environment
  readonly profile: Profile
  readonly profileName: string
  /** Whether a person sees the messages of the run. */
  readonly terminal: boolean
}

/** Picks every setting's value: flag, else environment, else profile, else default. Values are not checked here. */
export function resolveSettings(sources: SettingSources): GivenSettings {
  const entries = settingNames.flatMap((name) => {
    const setting = resolveSetting(name, sources)
    return setting === undefined ? [] : [[name, setting] as const]
  })
  return Object.fromEntries(entries)
}

function resolveSetting(name: SettingName, { flags, env, profile, profileName, terminal }: SettingSources) {
  const definition = definitionOf(name)
  const given = flagGiven(name, flags)
  if (given !== undefined) return settingOf(given.value, { type: 'flag', name: given.flag })
  const { name: variable = '', empty = 'unset' } = definition.env ?? {}
  const value = readVariable(env, variable)
  // Shells and CI files unset a variable by making it empty.
  if (value || (value === '' && empty === 'refused')) return settingOf(value, { type: 'env', name: variable })
  if (value === '' && empty === 'none') return undefined
  const stored = definition.stored ? profile[name] : undefined
  if (stored !== undefined) return settingOf(stored, { type: 'profile', name: profileName })
  const { default: otherwise } = valuesOf(name)
  return otherwise && settingOf(otherwise(terminal), { type: 'default' })
}

function settingOf(value: string, origin: Origin): Setting {
  return { value, origin }
}

/**
 * The value of a setting, parsed; its default where it is not set.
 * @throws CliError of code `usage`, naming the place of a value that cannot be used
 */
export function readSetting<Name extends SettingName>(settings: GivenSettings, name: Name): SettingValue<Name> {
  const { default: fallback } = valuesOf(name)
  const setting = settings[name] ?? (fallback && settingOf(fallback(true), { type: 'default' }))
  const parsed = setting && parseAt(placeOf(name, setting), name, setting.value)
  return parsed as SettingValue<Name>
}

/**
 * Checks a value before it is stored, or used.
 * @param place names it in messages
 * @throws CliError of code `usage`
 */
export function checkSetting(name: SettingName, value: string, place: string = name): void {
  if (value.trim() === '') throw usageError(`${place} must not be empty`, `fh config unset ${name} removes it`)
  parseAt(place, name, value)
}

function parseAt(place: string, name: SettingName, value: string): unknown {
  try {
    return valuesOf(name).parse(value)
  } catch (error) {
    if (error instanceof TypeError) throw usageError(`${place}: ${error.message}`)
    throw error
  }
}

/**
 * The limits that the user names. For the other windows the library takes the usual limits, and after a refusal it
 * doubts those for longer.
 * @throws CliError of code `usage`
 */
export function limitsOf(settings: GivenSettings): Partial<QuotaLimits> {
  return settings.limits?.origin.type === 'default' ? {} : readSetting(settings, 'limits')
}

/** The place of a value in messages: `--max-wait`, `FH_LIMITS`, `limits of profile work`. */
export function placeOf(name: SettingName, { origin }: Setting): string {
  return origin.type === 'profile' ? `${name} of ${describeOrigin(origin)}` : describeOrigin(origin)
}

/** How a value that cannot be used is corrected. */
export function howToCorrect(name: SettingName, { origin }: Setting): string {
  if (origin.type !== 'profile') return `Correct ${describeOrigin(origin)}, or leave it out`
  return `Run fh config set ${name} VALUE --profile ${origin.name}`
}

/** An origin in messages: `--timeout`, `FH_BASE_URL`, `profile work`. */
export function describeOrigin(origin: Origin): string {
  if (origin.type === 'default') return 'default'
  return origin.type === 'profile' ? `profile ${origin.name}` : origin.name
}

/** Whether a variable that is a switch is on: set, and neither empty, 0 nor false. */
export function isOn(value: string | undefined): boolean {
  return value !== undefined && !/^(|0|false)$/i.test(withoutQuotes(value))
}

/** How much a run prints besides its data. */
export function verbosityOf(flags: GlobalFlags, env: Environment): Verbosity {
  return {
    quiet: flags.quiet === true,
    verbose: flags.verbose === true,
    debug: flags.debug ?? isOn(env['FH_DEBUG']),
  }
}

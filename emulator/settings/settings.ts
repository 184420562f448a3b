import { ArgumentError, quoted } from '../../src/checks/coded-error.ts'
import { isObject } from '../../src/checks/json.ts'
import { Mismatch } from '../../src/checks/values.ts'
import type { Codec } from '../values/codec.ts'
import { mismatchWords } from '../values/reading.ts'
import { definitions } from './definitions.ts'
import type { GivenQuotas } from './quota-limits.ts'

type Definitions = typeof definitions

type SettingValueOf<Name extends keyof Definitions> = Definitions[Name] extends { type: Codec<infer Value> }
  ? Value
  : never

/** The value of every setting. */
export type Settings = {
  readonly [Name in keyof Definitions]: SettingValueOf<Name>
}

/** The value `'404'` may be given as the number 404. */
type Given<Value> = Value | (Value extends `${infer Digits extends number}` ? Digits : never)

/** Settings to change; quotas are merged window by window, sizes may be written as "200MB". */
export type SettingChanges = {
  readonly [Name in Exclude<keyof Settings, 'max_file_size' | 'quotas' | 'check_order'>]?: Given<Settings[Name]>
} & {
  readonly max_file_size?: number | string
  readonly quotas?: GivenQuotas
  /** A list, or names separated by commas. */
  readonly check_order?: Settings['check_order'] | string
}

/** An unknown setting, or a value that a setting does not take; the message says what is accepted. */
export class SettingError extends ArgumentError<'invalid-value'> {
  override readonly name = 'SettingError'

  constructor(message: string) {
    super('invalid-value', message)
  }
}

export interface SettingsStore {
  /** The values in force. */
  readonly current: Settings
  /**
   * Makes all the changes, or none if one is refused.
   * @returns the values now in force
   * @throws SettingError listing the settings, or what the refused one accepts
   */
  update(changes: SettingChanges): Settings
}

/** @throws SettingError as {@link SettingsStore.update} does */
export function createSettings(initial: SettingChanges = {}): SettingsStore {
  const store = {
    current: apply(defaultSettings, initial),
    update(changes: SettingChanges) {
      store.current = apply(store.current, changes)
      return store.current
    },
  }
  return store
}

const defaultSettings = Object.fromEntries(
  Object.entries(definitions).map(([name, definition]) => [name, definition.default]),
) as Settings

function apply(current: Settings, changes: SettingChanges): Settings {
  const problems: string[] = []
  const next: Record<string, unknown> = { ...current }
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) continue
    const read = isSettingName(name) ? definitions[name].type.read(value) : undefined
    if (read === undefined) {
      problems.push(`There is no setting ${quoted(name)}; there are ${Object.keys(definitions).join(', ')}`)
    } else if (read instanceof Mismatch) problems.push(`The setting ${name}${read.at} ${mismatchWords(read)}`)
    else next[name] = isObject(read) ? { ...Object(next[name]), ...read } : read
  }
  if (problems.length > 0) throw new SettingError(problems.join('. '))
  return next as Settings
}

function isSettingName(name: string): name is keyof Settings {
  return Object.hasOwn(definitions, name)
}

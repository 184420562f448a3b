import { defaultMaxFileSizeBytes } from '../src/protocol/media-types.ts'
import { defaultLimits, type QuotaLimits } from '../src/protocol/rate-limits.ts'
import { byteSize, quotaLimits, type SettingKind, timeZoneName, trueOrFalse } from './setting-kinds.ts'

/** One adjustable trait of the service. */
interface SettingDefinition<Value> {
  readonly kind: SettingKind<Value>
  readonly default: Value
  /** The clause of the spec that leaves it open or makes it adjustable. */
  readonly spec: string
}

/** Everything about the service that can be adjusted, by its name on the control API. */
const definitions = {
  api_enabled: define(trueOrFalse, true, '5.7'),
  max_file_size: define(byteSize, defaultMaxFileSizeBytes, '8.7'),
  quotas: define<QuotaLimits>(quotaLimits, defaultLimits, '8'),
  timezone: define(timeZoneName, 'Europe/Bucharest', '2.1'),
}

type Definitions = typeof definitions

/** The value of every setting. */
export type Settings = {
  readonly [Name in keyof Definitions]: Definitions[Name]['default']
}

/** Settings to change; quotas are merged window by window, sizes may be written as "200MB". */
export interface SettingChanges extends Partial<Omit<Settings, 'max_file_size' | 'quotas'>> {
  readonly max_file_size?: number | string
  readonly quotas?: Partial<QuotaLimits>
}

export interface SettingsStore {
  /** The values in force. */
  readonly current: Settings
  /**
   * Changes some settings: all of them, or none where one is refused.
   * @returns the values now in force
   * @throws TypeError naming the settings there are, or what the refused one accepts
   */
  update(changes: SettingChanges): Settings
}

/** @throws TypeError as {@link SettingsStore.update} does */
export function createSettings(initial: SettingChanges = {}): SettingsStore {
  const defaults = Object.entries(definitions).map(([name, definition]) => [name, definition.default])
  let current: Settings = apply(Object.fromEntries(defaults), initial)
  return {
    get current() {
      return current
    },
    update(changes) {
      current = apply(current, changes)
      return current
    },
  }
}

function define<Value>(kind: SettingKind<Value>, value: Value, spec: string): SettingDefinition<Value> {
  return { kind, default: value, spec }
}

function apply(current: Settings, changes: SettingChanges): Settings {
  const read = Object.entries(changes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, readSetting(name, value, current)])
  return { ...current, ...Object.fromEntries(read) }
}

function readSetting(name: string, value: unknown, current: Settings): unknown {
  if (!isSettingName(name)) {
    throw new TypeError(`There is no setting ${JSON.stringify(name)}; there are ${Object.keys(definitions).join(', ')}`)
  }
  const kind: SettingKind<unknown> = definitions[name].kind
  const result = kind.read(value, current[name])
  if (result !== undefined) return result
  throw new TypeError(`The setting ${name} takes ${kind.accepts}, but got ${JSON.stringify(value)}`)
}

function isSettingName(name: string): name is keyof Definitions {
  return Object.hasOwn(definitions, name)
}

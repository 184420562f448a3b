import type { Codec } from '../values/codec.ts'

export interface SettingDefinition<Value> {
  readonly type: Codec<Value>
  readonly default: Value
  /** The clause of the spec that leaves it open. */
  readonly spec: string
  /** What it decides and what its values mean. */
  readonly description: string
}

/** Short enough for tables. */
export function define<Value>(type: Codec<Value>, value: Value, spec: string, means: string): SettingDefinition<Value> {
  return { type, default: value, spec, description: means }
}

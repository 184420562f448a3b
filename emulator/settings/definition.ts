import type { Codec } from '../values/codec.ts'

export interface SettingDefinition<Value> {
  readonly type: Codec<Value>
  readonly default: Value
  /** The clause of the spec that leaves it open. */
  readonly spec: string
  /** What it decides and what its values mean. */
  readonly description: string
}

/** @param usual the default; the first value unless given */
export function define<Value>(
  type: Codec<Value>,
  spec: string,
  description: string,
  usual = type.values?.[0] as Value,
): SettingDefinition<Value> {
  return { type, default: usual, spec, description }
}

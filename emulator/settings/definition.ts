import type { SettingKind } from '../values/kinds.ts'

/** One setting of the service. */
export interface SettingDefinition<Value> {
  readonly kind: SettingKind<Value>
  readonly default: Value
  /** The clause of the spec that leaves it open. */
  readonly spec: string
  /** What it decides and what its values mean. */
  readonly description: string
}

/** Short enough for tables. */
export function define<Value>(
  kind: SettingKind<Value>,
  value: Value,
  spec: string,
  means: string,
): SettingDefinition<Value> {
  return { kind, default: value, spec, description: means }
}

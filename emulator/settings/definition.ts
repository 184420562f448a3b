import type { SettingKind } from '../values/kinds.ts'

/** One adjustable trait of the service. */
export interface SettingDefinition<Value> {
  readonly kind: SettingKind<Value>
  readonly default: Value
  /** The clause of the spec that leaves it open or makes it adjustable. */
  readonly spec: string
  /** What it decides, and what its values mean. */
  readonly means: string
}

/** A definition in one breath: it stands in tables. */
export function define<Value>(
  kind: SettingKind<Value>,
  value: Value,
  spec: string,
  means: string,
): SettingDefinition<Value> {
  return { kind, default: value, spec, means }
}

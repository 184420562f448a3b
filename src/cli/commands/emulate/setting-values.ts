import { definitions } from '../../../../emulator/settings/definitions.ts'
import type { ValueType } from '../../../../emulator/values/value-type.ts'

/** Completes `NAME=VALUE`: the names of settings, after the `=` the values of that setting. */
export function completeAssignment(typed: string): readonly string[] {
  const types = Object.entries<{ readonly type: ValueType<unknown> }>(definitions)
  if (!typed.includes('=')) return types.map(([name]) => `${name}=`)
  const [, type] = types.find(([name]) => typed.startsWith(`${name}=`)) ?? []
  const name = typed.slice(0, typed.indexOf('='))
  return (type?.type.values ?? []).map((value) => `${name}=${value}`)
}

import { definitions } from '../../../../emulator/settings/definitions.ts'
import type { Codec } from '../../../../emulator/values/codec.ts'

/** Completes `NAME=VALUE`: the names of settings, after the `=` the values of that setting. */
export function completeAssignment(typed: string): readonly string[] {
  const types = Object.entries<{ readonly type: Codec<unknown> }>(definitions)
  if (!typed.includes('=')) return types.map(([name]) => `${name}=`)
  const [, type] = types.find(([name]) => typed.startsWith(`${name}=`)) ?? []
  const name = typed.slice(0, typed.indexOf('='))
  return (type?.type.values ?? []).map((value) => `${name}=${value}`)
}

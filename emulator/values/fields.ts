import { isObject, knownNames } from './json-schema.ts'
import { quoted } from './quoted.ts'
import type { Codec } from './value-type.ts'

/** A codec for every field of an object in a call. */
export type FieldTypes<Fields> = { readonly [Name in keyof Fields]-?: Codec<unknown> }

type ReadFields<Types> = { readonly [Name in keyof Types]?: Types[Name] extends Codec<infer Value> ? Value : never }

/**
 * Reads the fields of an object from an untyped caller, leaving out those that are undefined.
 * @throws TypeError listing the fields, or saying what the refused one takes
 */
export function readFields<Types extends Readonly<Record<string, Codec<unknown>>>>(
  given: unknown,
  types: Types,
): ReadFields<Types> {
  const names = Object.keys(types)
  if (!isObject(given)) throw new TypeError(`Give an object with any of ${names.join(', ')}`)
  const present = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    present.map(([name, value]) => {
      const type = Object.hasOwn(types, name) ? types[name] : undefined
      if (type === undefined) throw new TypeError(`There is no field ${quoted(name)}; ${knownNames(name, names)}`)
      return [name, type.read(value, `The field ${name}`)]
    }),
  ) as ReadFields<Types>
}

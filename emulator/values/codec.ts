import { invalidValue } from '../../src/checks/coded-error.ts'
import { isObject } from '../../src/checks/json.ts'
import { quoted } from '../../src/checks/quoted.ts'
import {
  aListOf,
  anObjectBy,
  anObjectOf,
  type FieldsOf,
  type Kind,
  Mismatch,
  maybe,
  type OptionalIn,
} from '../../src/checks/values.ts'
import { type JsonSchema, knownNames, mismatch } from './json-schema.ts'

/** A kind of values that are written too: fields of the control API, of snapshots and of the database. */
export interface Codec<Value, Json = unknown> extends Kind<Value> {
  /** What a file may have, if people write such files. */
  readonly schema?: JsonSchema
  /** The value as JSON; undefined for no value. */
  write(value: Value): Json
  /** Whether a value from the emulator's own database has the right shape. Looser than `read`: it has to be fast. */
  isSound(found: unknown): boolean
}

/** A codec for each field of an object, by its name in the code; in JSON the name is in snake_case. */
export type FieldCodecs = Readonly<Record<string, Codec<unknown>>>

type JsonOf<Of extends Codec<unknown>> = ReturnType<Of['write']>

/** An object in JSON with a value for each field. */
export type JsonFieldsOf<Of extends FieldCodecs> = {
  readonly [Name in Exclude<keyof Of, OptionalIn<Of>> as SnakeCase<Name>]: JsonOf<Of[Name]>
} & { readonly [Name in OptionalIn<Of> as SnakeCase<Name>]?: Exclude<JsonOf<Of[Name]>, undefined> }

type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : ''

/** The name in JSON: `created_at` for `createdAt`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** A value that may be absent. */
export function optional<Value, Json>(codec: Codec<Value, Json>): Codec<Value | undefined, Json | undefined> {
  return {
    ...maybe(codec),
    write: (value) => (value === undefined ? undefined : codec.write(value)),
    isSound: (found) => found === undefined || codec.isSound(found),
  }
}

/** @param accepts says in words what the list has */
export function listOf<Value, Json>(
  codec: Codec<Value, Json>,
  accepts = 'a list',
): Codec<readonly Value[], readonly Json[]> {
  return {
    ...aListOf(codec, accepts),
    schema: { description: accepts, type: 'array', items: codec.schema ?? {} },
    write: (values) => values.map(codec.write),
    isSound: (found) => Array.isArray(found) && found.every(codec.isSound),
  }
}

/** An object with these fields. Ignores other fields. */
export function objectOf<const Of extends FieldCodecs>(
  codecs: Of,
  accepts?: string,
): Codec<FieldsOf<Of>, JsonFieldsOf<Of>> {
  const fields = Object.entries(codecs).map(([name, codec]) => ({ name, wire: snakeCase(name), codec }))
  return {
    ...anObjectOf(codecs, snakeCase, accepts),
    // Loops, because a snapshot may have a million of these.
    write(value) {
      const written: Record<string, unknown> = {}
      for (const { name, wire, codec } of fields) {
        const json = codec.write(Reflect.get(value, name))
        if (json !== undefined) written[wire] = json
      }
      return written as JsonFieldsOf<Of>
    },
    isSound(found) {
      if (!isObject(found)) return false
      for (const { name, codec } of fields) if (!codec.isSound(found[name])) return false
      return true
    },
  }
}

/** One of several kinds of object, distinguished by the word in one field. */
export function unionOf<Value extends object, Json, Tag extends string & keyof Value>(
  tag: Tag,
  codecs: Readonly<Record<Value[Tag] & string, Codec<Value, Json>>>,
): Codec<Value, Json> {
  const byWord = new Map<unknown, Codec<Value, Json>>(Object.entries(codecs))
  return {
    ...anObjectBy<Value>(tag, codecs),
    write: (value) => byWord.get(value[tag])?.write(value) as Json,
    isSound: (found) => isObject(found) && (byWord.get(found[tag])?.isSound(found) ?? false),
  }
}

/** An object with values for some of the keys. */
export function someOf<Key extends string, Value>(
  keys: readonly Key[],
  codec: Codec<Value>,
): Codec<Readonly<Partial<Record<Key, Value>>>> {
  const codecs = Object.fromEntries(keys.map((key) => [key, optional(codec)])) as Record<Key, Codec<Value | undefined>>
  return {
    ...objectOf(codecs, `an object with any of ${keys.join(', ')}`),
    isSound: (found) => isObject(found) && Object.values(found).every(codec.isSound),
  } as Codec<Readonly<Partial<Record<Key, Value>>>>
}

/**
 * Reads JSON from outside.
 * @param at the place of the value; begins the message
 * @throws TypeError saying what the place takes
 */
export function readAt<Value>({ read }: Kind<Value>, found: unknown, at: string): Value {
  const value = read(found)
  if (!(value instanceof Mismatch)) return value
  throw invalidValue(`${at}${value.at} ${mismatch(value.accepts, value.found)}`)
}

/**
 * Reads some of an object's fields from an untyped caller, leaving out those that are undefined.
 * @throws TypeError listing the fields, or saying what the refused one takes
 */
export function readFields<const Of extends FieldCodecs>(given: unknown, codecs: Of): Partial<FieldsOf<Of>> {
  const byWire = new Map(Object.entries(codecs).map(([name, codec]) => [snakeCase(name), { name, codec }]))
  const names = [...byWire.keys()]
  if (!isObject(given)) throw invalidValue(`Give an object with any of ${names.join(', ')}`)
  const present = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    present.map(([wire, value]) => {
      const field = byWire.get(wire)
      if (field === undefined) throw invalidValue(`There is no field ${quoted(wire)}; ${knownNames(wire, names)}`)
      return [field.name, readAt(field.codec, value, `The field ${wire}`)]
    }),
  ) as Partial<FieldsOf<Of>>
}

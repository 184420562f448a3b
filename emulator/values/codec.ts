import { invalidValue } from '../../src/checks/coded-error.ts'
import { isObject } from '../../src/checks/json.ts'
import { quoted } from '../../src/checks/quoted.ts'
import { type JsonSchema, knownNames, mismatch } from './json-schema.ts'

/** A checked type of values: fields of the control API, of snapshots and of the database. */
export interface Codec<Value, Json = unknown> {
  /** What is accepted; read after "takes". */
  readonly accepts: string
  /** What a file may have, if people write such files. */
  readonly schema?: JsonSchema
  /**
   * Reads JSON from outside.
   * @param at the place of the value; begins the message
   * @throws TypeError saying what the place takes
   */
  read(found: unknown, at: string): Value
  /** The value as JSON; undefined for no value. */
  write(value: Value): Json
  /** Whether a value from the emulator's own database has the right shape. Looser than `read`: it has to be fast. */
  isSound(found: unknown): boolean
}

/** A codec for each field of an object, by its name in the code; in JSON the name is in snake_case. */
export type FieldCodecs = Readonly<Record<string, Codec<unknown>>>

export type ValueOf<Of extends Codec<unknown>> = ReturnType<Of['read']>

/** Demands a codec for every field of a type. */
export type CodecsOf<Fields> = { readonly [Name in keyof Fields]-?: Codec<unknown> }

type JsonOf<Of extends Codec<unknown>> = ReturnType<Of['write']>

type OptionalIn<Of extends FieldCodecs> = {
  [Name in keyof Of]: undefined extends ValueOf<Of[Name]> ? Name : never
}[keyof Of]

/** An object with a value for each field. */
export type FieldsOf<Of extends FieldCodecs> = {
  readonly [Name in Exclude<keyof Of, OptionalIn<Of>>]: ValueOf<Of[Name]>
} & { readonly [Name in OptionalIn<Of>]?: Exclude<ValueOf<Of[Name]>, undefined> }

/** The same object in JSON. */
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
    accepts: `${codec.accepts}, or nothing`,
    write: (value) => (value === undefined ? undefined : codec.write(value)),
    read: (found, at) => (found === undefined ? undefined : codec.read(found, at)),
    isSound: (found) => found === undefined || codec.isSound(found),
  }
}

/** @param accepts says in words what the list has */
export function listOf<Value, Json>(
  codec: Codec<Value, Json>,
  accepts = 'a list',
): Codec<readonly Value[], readonly Json[]> {
  return {
    accepts,
    schema: { description: accepts, type: 'array', items: codec.schema ?? {} },
    write: (values) => values.map(codec.write),
    read(found, at) {
      if (!Array.isArray(found)) throw invalidValue(`${at} ${mismatch(accepts, found)}`)
      return found.map((item, index) => codec.read(item, `${at}[${index}]`))
    },
    isSound: (found) => Array.isArray(found) && found.every(codec.isSound),
  }
}

/** An object with these fields. Ignores other fields. */
export function objectOf<const Of extends FieldCodecs>(codecs: Of): Codec<FieldsOf<Of>, JsonFieldsOf<Of>> {
  const fields = Object.entries(codecs).map(([name, codec]) => ({ name, wire: snakeCase(name), codec }))
  const accepts = `an object with ${fields.map(({ wire }) => wire).join(', ')}`
  return {
    accepts,
    // Loops, because a snapshot may have a million of these.
    write(value) {
      const written: Record<string, unknown> = {}
      for (const { name, wire, codec } of fields) {
        const json = codec.write(Reflect.get(value, name))
        if (json !== undefined) written[wire] = json
      }
      return written as JsonFieldsOf<Of>
    },
    read(found, at) {
      const record = readObject(found, at, accepts)
      const value: Record<string, unknown> = {}
      for (const { name, wire, codec } of fields) value[name] = codec.read(record[wire], `${at}.${wire}`)
      return value as FieldsOf<Of>
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
  const byWord = new Map(Object.entries<Codec<Value, Json>>(codecs))
  const accepts = `an object whose ${tag} is one of ${[...byWord.keys()].join(', ')}`
  const codecOf = (found: unknown) => (isObject(found) ? byWord.get(String(found[tag])) : undefined)
  return {
    accepts,
    write: (value) => byWord.get(String(value[tag]))?.write(value) as Json,
    read(found, at) {
      const codec = codecOf(found)
      if (codec === undefined) throw invalidValue(`${at} ${mismatch(accepts, found)}`)
      return codec.read(found, at)
    },
    isSound: (found) => codecOf(found)?.isSound(found) ?? false,
  }
}

/** An object with values for some of the keys. */
export function someOf<Key extends string, Value>(
  keys: readonly Key[],
  codec: Codec<Value>,
): Codec<Readonly<Partial<Record<Key, Value>>>> {
  const accepts = `an object with any of ${keys.join(', ')}`
  return {
    accepts,
    write: (values) =>
      Object.fromEntries(Object.entries(values).map(([key, value]) => [key, codec.write(value as Value)])),
    read(found, at) {
      const record = readObject(found, at, accepts)
      const present = keys.filter((key) => record[key] !== undefined)
      return Object.fromEntries(present.map((key) => [key, codec.read(record[key], `${at}.${key}`)])) as Record<
        Key,
        Value
      >
    },
    isSound: (found) => isObject(found) && Object.values(found).every(codec.isSound),
  }
}

/** @throws TypeError saying what the place takes */
export function readObject(found: unknown, at: string, accepts = 'an object'): Readonly<Record<string, unknown>> {
  if (isObject(found)) return found
  throw invalidValue(`${at} ${mismatch(accepts, found)}`)
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
      return [field.name, field.codec.read(value, `The field ${wire}`)]
    }),
  ) as Partial<FieldsOf<Of>>
}

import { isObject, mismatch } from './json-schema.ts'
import type { Codec } from './value-type.ts'

/** A value that may be absent. */
export function optional<Value>(codec: Codec<Value>): Codec<Value | undefined> {
  return {
    accepts: `${codec.accepts}, or nothing`,
    write: (value) => (value === undefined ? undefined : codec.write(value)),
    read: (found, at) => (found === undefined ? undefined : codec.read(found, at)),
  }
}

export function listOf<Value>(codec: Codec<Value>): Codec<readonly Value[]> {
  const accepts = 'a list'
  return {
    accepts,
    write: (values) => values.map(codec.write),
    read(found, at) {
      if (!Array.isArray(found)) throw new TypeError(`${at} ${mismatch(accepts, found)}`)
      return found.map((item, index) => codec.read(item, `${at}[${index}]`))
    },
  }
}

type FieldCodecs<Fields> = { readonly [Name in keyof Fields]-?: Codec<Fields[Name]> }

/** An object with these fields, in snake_case in JSON: `created_at` for `createdAt`. Ignores other fields. */
export function objectOf<Fields extends object>(codecs: FieldCodecs<Fields>): Codec<Fields> {
  const fields = Object.entries<Codec<unknown>>(codecs).map(([name, codec]) => ({ name, wire: snakeCase(name), codec }))
  const accepts = `an object with ${fields.map(({ wire }) => wire).join(', ')}`
  return {
    accepts,
    // Loops, because a snapshot may have a million of these.
    write(value) {
      const written: Record<string, unknown> = {}
      for (const { name, wire, codec } of fields) written[wire] = codec.write(Reflect.get(value, name))
      return written
    },
    read(found, at) {
      const record = readObject(found, at, accepts)
      const value: Record<string, unknown> = {}
      for (const { name, wire, codec } of fields) value[name] = codec.read(record[wire], `${at}.${wire}`)
      return value as Fields
    },
  }
}

/** One of several kinds of object, told apart by the word in one field. */
export function unionOf<Value extends object, Tag extends string & keyof Value>(
  tag: Tag,
  codecs: Readonly<Record<Value[Tag] & string, Codec<Value>>>,
): Codec<Value> {
  const byWord = new Map(Object.entries<Codec<Value>>(codecs))
  const accepts = `an object whose ${tag} is one of ${[...byWord.keys()].join(', ')}`
  return {
    accepts,
    write: (value) => byWord.get(String(value[tag]))?.write(value),
    read(found, at) {
      const codec = byWord.get(String(readObject(found, at, accepts)[tag]))
      if (codec === undefined) throw new TypeError(`${at} ${mismatch(accepts, found)}`)
      return codec.read(found, at)
    },
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
      Object.fromEntries(
        Object.entries<Value | undefined>(values).map(([key, value]) => [key, codec.write(value as Value)]),
      ),
    read(found, at) {
      const record = readObject(found, at, accepts)
      const present = keys.filter((key) => record[key] !== undefined)
      return Object.fromEntries(present.map((key) => [key, codec.read(record[key], `${at}.${key}`)])) as Record<
        Key,
        Value
      >
    },
  }
}

/** @throws TypeError saying what the place takes */
export function readObject(found: unknown, at: string, accepts = 'an object'): Readonly<Record<string, unknown>> {
  if (isObject(found)) return found
  throw new TypeError(`${at} ${mismatch(accepts, found)}`)
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

import { isUsableInstant, usableInstants } from './instant.ts'
/** How a value of the service is written as JSON, and read back from whatever was found there. */
export interface Codec<Value> {
  /** What is accepted, to be read after "takes". */
  readonly accepts: string
  write(value: Value): unknown
  /** @throws SnapshotError naming the place where something else stands, which is `at` or within it */
  read(found: unknown, at: string): Value
}

/** A snapshot that cannot be used; the state is as it was. */
export class SnapshotError extends TypeError {
  override readonly name = 'SnapshotError'
}

export const text = plain('text', (found) => typeof found === 'string')
export const trueOrFalse = plain<boolean>('true or false', (found) => typeof found === 'boolean')
export const wholeNumber = plain<number>('a whole number from zero up', (found) => {
  return Number.isSafeInteger(found) && Number(found) >= 0
})

/** Epoch milliseconds in the service, ISO 8601 in JSON. */
export const instant: Codec<number> = {
  accepts: usableInstants,
  write: (epochMs) => new Date(epochMs).toISOString(),
  read(found, at) {
    const epochMs = typeof found === 'string' ? Date.parse(found) : Number.NaN
    return isUsableInstant(epochMs) ? epochMs : refuse(at, instant.accepts, found)
  },
}

/** One of a few words. */
export function oneOf<Word extends string>(...words: readonly Word[]): Codec<Word> {
  return plain<Word>(`one of ${words.join(', ')}`, (found) => words.some((word) => word === found))
}

/** A value that any other part of the service checks. */
export function checkedBy<Value>(accepts: string, accept: (found: unknown) => boolean): Codec<Value> {
  return plain<Value>(accepts, accept)
}

export function orNull<Value>(codec: Codec<Value>): Codec<Value | null> {
  return {
    accepts: `${codec.accepts}, or null`,
    write: (value) => (value === null ? null : codec.write(value)),
    read: (found, at) => (found === null ? null : codec.read(found, at)),
  }
}

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
      if (!Array.isArray(found)) return refuse(at, accepts, found)
      return found.map((item, index) => codec.read(item, `${at}[${index}]`))
    },
  }
}

type FieldCodecs<Fields> = { readonly [Name in keyof Fields]-?: Codec<Fields[Name]> }

/** An object of just these fields, named in JSON as the wire names things: `created_at` for `createdAt`. */
export function objectOf<Fields extends object>(codecs: FieldCodecs<Fields>): Codec<Fields> {
  const fields = Object.entries<Codec<unknown>>(codecs).map(([name, codec]) => ({ name, wire: snakeCase(name), codec }))
  const accepts = `an object with ${fields.map(({ wire }) => wire).join(', ')}`
  return {
    accepts,
    // A loop and one object each: a snapshot may have a million of them.
    write(value) {
      const written: Record<string, unknown> = {}
      for (const { name, wire, codec } of fields) written[wire] = codec.write(Reflect.get(value, name))
      return written
    },
    read(found, at) {
      if (!isObject(found)) return refuse(at, accepts, found)
      const value: Record<string, unknown> = {}
      for (const { name, wire, codec } of fields) value[name] = codec.read(found[wire], `${at}.${wire}`)
      return value as Fields
    },
  }
}

/** One of several kinds of object, told apart by a word in one of their fields. */
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
      const codec = isObject(found) ? byWord.get(String(found[tag])) : undefined
      return codec === undefined ? refuse(at, accepts, found) : codec.read(found, at)
    },
  }
}

/** An object of which some keys have a value. */
export function someOf<Key extends string, Value>(
  keys: readonly Key[],
  codec: Codec<Value>,
): Codec<Readonly<Partial<Record<Key, Value>>>> {
  const accepts = `an object with any of ${keys.join(', ')}`
  return {
    accepts,
    write: (values) =>
      Object.fromEntries(
        Object.entries(values as Readonly<Record<string, Value>>).map(([key, value]) => [key, codec.write(value)]),
      ),
    read(found, at) {
      if (!isObject(found)) return refuse(at, accepts, found)
      const present = keys.filter((key) => found[key] !== undefined)
      return Object.fromEntries(present.map((key) => [key, codec.read(found[key], `${at}.${key}`)])) as Record<
        Key,
        Value
      >
    },
  }
}

export function isObject(found: unknown): found is Readonly<Record<string, unknown>> {
  return typeof found === 'object' && found !== null && !Array.isArray(found)
}

/** @throws SnapshotError */
export function refuse(at: string, accepts: string, found: unknown): never {
  const shown = JSON.stringify(found)?.slice(0, 100) ?? 'nothing'
  throw new SnapshotError(`The snapshot's ${at} takes ${accepts}, but has ${shown}`)
}

/** A value that JSON has as it is. */
function plain<Value = string>(accepts: string, accept: (found: unknown) => boolean): Codec<Value> {
  return {
    accepts,
    write: (value) => value,
    read: (found, at) => (accept(found) ? (found as Value) : refuse(at, accepts, found)),
  }
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

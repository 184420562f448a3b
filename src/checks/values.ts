import { isObject, parseJson } from './json.ts'

/**
 * What an unknown value from outside has to be. Tables of kinds read the lines of files and of logs, answers of the
 * service, settings and snapshots.
 */
export interface Kind<Value> {
  /** Read after "takes". */
  readonly accepts: string
  /** The value, perhaps from another spelling, or why it is none. Never throws. */
  readonly read: (found: unknown) => Value | Mismatch
}

export type ValueOf<Of extends Kind<unknown>> = Exclude<ReturnType<Of['read']>, Mismatch>

/** The kind of each field of an object. */
export type Fields = Readonly<Record<string, Kind<unknown>>>

/** Demands a kind for every field of a type. */
export type KindsOf<Type> = { readonly [Name in keyof Type]-?: Kind<unknown> }

/** The names of the fields that may be absent. */
export type OptionalIn<Of extends Fields> = {
  [Name in keyof Of]: undefined extends ValueOf<Of[Name]> ? Name : never
}[keyof Of]

/** An object with a value for each field. */
export type FieldsOf<Of extends Fields> = {
  readonly [Name in Exclude<keyof Of, OptionalIn<Of>>]: ValueOf<Of[Name]>
} & { readonly [Name in OptionalIn<Of>]?: Exclude<ValueOf<Of[Name]>, undefined> }

/** An object with the fields that its word in the field `Tag` stands for. */
export type TaggedOf<Tag extends string, Tables extends Readonly<Record<string, Fields>>> = {
  [Word in keyof Tables]: { readonly [Name in Tag]: Word } & FieldsOf<Tables[Word]>
}[keyof Tables]

/** Why a value is refused. */
export class Mismatch {
  /** Read after "takes". */
  readonly accepts: string
  readonly found: unknown
  /** Where in the value that was read, such as `.data[3].slug`; empty for itself. Put together only for a mismatch. */
  readonly at: string

  constructor(accepts: string, found: unknown, at = '') {
    this.accepts = accepts
    this.found = found
    this.at = at
  }

  within(step: string): Mismatch {
    return new Mismatch(this.accepts, this.found, step + this.at)
  }
}

/** @param parse undefined for a value of another kind */
export function kind<Value>(accepts: string, parse: (found: unknown) => Value | undefined): Kind<Value> {
  return {
    accepts,
    read(found) {
      const value = parse(found)
      return value === undefined ? new Mismatch(accepts, found) : value
    },
  }
}

export function kindBy<Value = unknown>(accepts: string, test: (found: unknown) => boolean): Kind<Value> {
  return { accepts, read: (found) => (test(found) ? (found as Value) : new Mismatch(accepts, found)) }
}

export function isOfKind({ read }: Kind<unknown>, found: unknown): boolean {
  return !(read(found) instanceof Mismatch)
}

export const aText = kindBy<string>('a text', (found) => typeof found === 'string')
export const aBoolean = kindBy<boolean>('true or false', (found) => typeof found === 'boolean')
export const aNumber = kindBy<number>('a number', (found) => typeof found === 'number')
export const anAmount = kindBy<number>('a number from zero up', (found) => Number.isFinite(found) && Number(found) >= 0)
export const anything = kindBy('any value', (found) => found !== undefined)

export function aWordOf<const Value>(values: readonly Value[]): Kind<Value> {
  return kindBy(`one of ${values.join(', ')}`, (found) => values.includes(found as Value))
}

/** A value that may be absent. */
export function maybe<Value>({ accepts, read }: Kind<Value>): Kind<Value | undefined> {
  return { accepts: `${accepts}, or nothing`, read: (found) => (found === undefined ? undefined : read(found)) }
}

/** What another version wrote there counts as `instead`. */
export function ifSound<Value>(kind: Kind<Value>): Kind<Value | undefined>
export function ifSound<Value, Instead>(kind: Kind<Value>, instead: Instead): Kind<Value | Instead>
export function ifSound<Value>({ accepts, read }: Kind<Value>, instead?: Value): Kind<Value | undefined> {
  return {
    accepts,
    read(found) {
      // Most fields that may be absent are: a mismatch for each would be much of what a log costs to read.
      const value = found === undefined ? instead : read(found)
      return value instanceof Mismatch ? instead : value
    },
  }
}

export function aListOf<Value>({ read }: Kind<Value>, accepts = 'a list'): Kind<readonly Value[]> {
  return {
    accepts,
    read(found) {
      if (!Array.isArray(found)) return new Mismatch(accepts, found)
      const values: Value[] = []
      for (const item of found) {
        const value = read(item)
        if (value instanceof Mismatch) return value.within(`[${values.length}]`)
        values.push(value)
      }
      return values
    },
  }
}

/**
 * An object with these fields, without its others.
 * @param written a field's name in what is read
 */
export function anObjectOf<const Of extends Fields>(
  fields: Of,
  written: (name: string) => string = (name) => name,
  accepts = `an object with ${Object.keys(fields).map(written).join(', ')}`,
): Kind<FieldsOf<Of>> {
  return readingFields(fields, accepts, () => ({}), written)
}

/** An object with at least these fields: its others are kept as they are. What is read is the same object if all fits. */
export function anObjectHaving<const Of extends Fields>(fields: Of): Kind<FieldsOf<Of>> {
  return readingFields(fields, 'an object', (found) => found)
}

function readingFields<Of extends Fields>(
  fields: Of,
  accepts: string,
  begin: (found: object) => object,
  written = (name: string) => name,
): Kind<FieldsOf<Of>> {
  const rows = Object.entries(fields).map(([name, { read }]) => ({ name, key: written(name), read }))
  return {
    accepts,
    read(found) {
      if (!isObject(found)) return new Mismatch(accepts, found)
      let values = begin(found) as Record<string, unknown>
      for (const { name, key, read } of rows) {
        const value = read(found[key])
        if (value instanceof Mismatch) return value.within(`.${key}`)
        if (value !== values[name] && values === found) values = { ...found }
        if (value !== values[name]) values[name] = value
      }
      return values as FieldsOf<Of>
    },
  }
}

/** One of several kinds of object, told apart by the word in one field. */
export function anObjectBy<Value>(tag: string, kinds: Readonly<Record<string, Kind<Value>>>): Kind<Value> {
  const byWord = new Map<unknown, Kind<Value>>(Object.entries(kinds))
  const accepts = `an object whose ${tag} is one of ${Object.keys(kinds).join(', ')}`
  return {
    accepts,
    read: (found) =>
      (isObject(found) ? byWord.get(found[tag])?.read(found) : undefined) ?? new Mismatch(accepts, found),
  }
}

/** The same by the fields of each, besides the one with the word. */
export function taggedOf<const Tag extends string, const Tables extends Readonly<Record<string, Fields>>>(
  tag: Tag,
  tables: Tables,
  object: (fields: Fields) => Kind<object> = anObjectOf,
): Kind<TaggedOf<Tag, Tables>> {
  const kinds = Object.entries(tables).map(([word, fields]) => [word, object({ [tag]: anything, ...fields })])
  return anObjectBy(tag, Object.fromEntries(kinds))
}

/** Undefined for a value of another kind. */
export function soundValue<Value>({ read }: Kind<Value>, found: unknown): Value | undefined {
  const value = read(found)
  return value instanceof Mismatch ? undefined : value
}

/** The value of a JSON text; undefined if it is not JSON, or of another kind. */
export function readJson<Value>(kind: Kind<Value>, json: string): Value | undefined {
  return soundValue(kind, parseJson(json))
}

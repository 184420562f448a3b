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
  /** Whether a value is meant to be one, so that what is wrong inside it says more than that it is none. */
  readonly isMeant?: (found: unknown) => boolean
  /** Of an object that has no other fields. */
  readonly fields?: Fields
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

/** Any of the fields, as a caller gives them. */
export type GivenOf<Of extends Fields> = { readonly [Name in keyof Of]?: ValueOf<Of[Name]> | undefined }

/** An object with the fields that its word in the field `Tag` stands for. */
export type TaggedOf<Tag extends string, Tables extends Readonly<Record<string, Fields>>> = {
  [Word in keyof Tables]: { readonly [Name in Tag]: Word } & FieldsOf<Tables[Word]>
}[keyof Tables]

/** Why a value is refused. */
export class Mismatch {
  /** Read after "takes". */
  readonly accepts: string
  readonly found: unknown
  /** The way to it in the value that was read; empty for itself. */
  readonly steps: readonly (string | number)[]
  /** The names that there are, of a field that there is not. */
  readonly names: readonly string[] | undefined

  constructor(accepts: string, found: unknown, steps: Mismatch['steps'] = [], names?: readonly string[]) {
    this.accepts = accepts
    this.found = found
    this.steps = steps
    this.names = names
  }

  within(step: string | number): Mismatch {
    return new Mismatch(this.accepts, this.found, [step, ...this.steps], this.names)
  }

  /** The steps as a path, such as `.data[3].slug`. */
  get at(): string {
    return this.steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
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
    isMeant: Array.isArray,
    read(found) {
      if (!Array.isArray(found)) return new Mismatch(accepts, found)
      const values: Value[] = []
      for (const item of found) {
        const value = read(item)
        if (value instanceof Mismatch) return value.within(values.length)
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
        if (value instanceof Mismatch) return value.within(key)
        if (value !== values[name] && values === found) values = { ...found }
        if (value !== values[name]) values[name] = value
      }
      return values as FieldsOf<Of>
    },
  }
}

/** How an object of {@link someFields} is told and read. */
export interface ObjectWords {
  /** Names of fields that cannot be left out. */
  readonly required?: readonly string[]
  /** A field's name in what is read. */
  readonly written?: (name: string) => string
  readonly accepts?: string
}

/** An object with any of these fields and no others; a field whose value is undefined is not there. */
export function someFields<const Of extends Fields>(
  fields: Of,
  { required = [], written = (name) => name, accepts = anyOf(fields, written) }: ObjectWords = {},
): Kind<Partial<FieldsOf<Of>>> {
  const byKey = new Map(Object.entries(fields).map(([name, { read }]) => [written(name), { name, read }]))
  return {
    accepts,
    fields,
    isMeant: (found) => isObject(found) && (required.length === 0 || required.some((name) => name in found)),
    read(found) {
      if (!isObject(found)) return new Mismatch(accepts, found)
      const values: Record<string, unknown> = {}
      for (const [key, given] of Object.entries(found).filter(([, value]) => value !== undefined)) {
        const field = byKey.get(key)
        if (field === undefined) return new Mismatch('', given, [key], [...byKey.keys()])
        const value = field.read(given)
        if (value instanceof Mismatch) return value.within(key)
        values[field.name] = value
      }
      const missing = required.find((name) => found[name] === undefined)
      if (missing !== undefined) return new Mismatch(fields[missing]?.accepts ?? '', undefined, [missing])
      return values as Partial<FieldsOf<Of>>
    },
  }
}

function anyOf(fields: Fields, written: (name: string) => string): string {
  return `an object with any of ${Object.keys(fields).map(written).join(', ')}`
}

/** What one of the kinds takes. What is wrong inside a value that is meant to be of one of them is that one's to say. */
export function either<const Of extends readonly Kind<unknown>[]>(
  accepts: string,
  ...kinds: Of
): Kind<ValueOf<Of[number]>> {
  const fields = kinds.findLast((kind) => kind.fields !== undefined)?.fields
  return {
    accepts,
    ...(fields && { fields }),
    read(found) {
      for (const { read } of kinds) {
        const value = read(found)
        if (!(value instanceof Mismatch)) return value as ValueOf<Of[number]>
      }
      const [meant, ...others] = kinds.filter((kind) => kind.isMeant?.(found))
      const inside = others.length === 0 ? meant?.read(found) : undefined
      return inside instanceof Mismatch ? inside : new Mismatch(accepts, found)
    },
  }
}

/** One of several kinds of object, told apart by the word in one field. */
export function anObjectBy<Value>(tag: string, kinds: Readonly<Record<string, Kind<Value>>>): Kind<Value> {
  const byWord = new Map<unknown, Kind<Value>>(Object.entries(kinds))
  const words = `one of ${Object.keys(kinds).join(', ')}`
  const accepts = `an object whose ${tag} is ${words}`
  return {
    accepts,
    read(found) {
      if (!isObject(found)) return new Mismatch(accepts, found)
      return byWord.get(found[tag])?.read(found) ?? new Mismatch(words, found[tag], [tag])
    },
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

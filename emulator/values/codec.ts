import {
  aListOf,
  anObjectBy,
  anObjectOf,
  either,
  type FieldsOf,
  type Kind,
  Mismatch,
  maybe,
  type ObjectWords,
  type OptionalIn,
  someFields,
  type ValueOf,
} from '../../src/checks/values.ts'

/** The keywords of JSON Schema in use; `description` says in words what is accepted. */
export interface JsonSchema {
  /** Read after "takes". */
  readonly description?: string
  readonly type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null'
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: false
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: true
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
}

/** A kind of values that are written too: fields of the control API, of seeds, snapshots and the database. */
export interface Codec<Value, Json = Value> extends Kind<Value> {
  /** Of what people write in files. `read` may accept other spellings too. */
  readonly schema?: JsonSchema
  /** The values, if they can be listed. */
  readonly values?: readonly Value[]
  /** The value as JSON; undefined for no value. */
  write(value: Value): Json
}

type AnyCodec = Codec<unknown, unknown>

/** A codec for each field of an object, by its name in the code; in JSON the name is in snake_case. */
export type FieldCodecs = Readonly<Record<string, AnyCodec>>

type JsonOf<Of extends AnyCodec> = ReturnType<Of['write']>

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
  }
}

/** @param meaning of null */
export function orNull<Value, Json>(codec: Codec<Value, Json>, meaning = ''): Codec<Value | null, Json | null> {
  const accepts = `${codec.accepts}, or null${meaning && ` ${meaning}`}`
  return {
    accepts,
    schema: { description: accepts, anyOf: [codec.schema ?? {}, { type: 'null' }] },
    read(found) {
      const value = found === null ? null : codec.read(found)
      return value instanceof Mismatch && value.steps.length === 0 ? new Mismatch(accepts, found) : value
    },
    write: (value) => (value === null ? null : codec.write(value)),
  }
}

/** A value of one of the codecs; each writes its values as they are. */
export function anyOf<const Of extends readonly AnyCodec[]>(
  accepts: string,
  ...codecs: Of
): Codec<ValueOf<Of[number]>> {
  return {
    ...either(accepts, ...codecs),
    schema: { description: accepts, anyOf: codecs.map(({ schema = {} }) => schema) },
    write: (value) => value,
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
  }
}

/** An object with any of these fields and no others, as people write it. */
export function fieldsOf<const Of extends FieldCodecs>(
  codecs: Of,
  words: Pick<ObjectWords, 'accepts' | 'required'> = {},
): Codec<Partial<FieldsOf<Of>>, Partial<JsonFieldsOf<Of>>> {
  const entries = Object.entries<AnyCodec>(codecs)
  const kind = someFields(codecs, { ...words, written: snakeCase })
  const properties = Object.fromEntries(entries.map(([name, { schema = {} }]) => [snakeCase(name), schema]))
  const { required = [] } = words
  return {
    ...objectOf(Object.fromEntries(entries.map(([name, codec]) => [name, optional(codec)]))),
    ...kind,
    schema: { description: kind.accepts, type: 'object', properties, required, additionalProperties: false },
  } as Codec<Partial<FieldsOf<Of>>, Partial<JsonFieldsOf<Of>>>
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
  }
}

import { kind, soundValue } from '../../src/checks/values.ts'
import { keyPattern } from '../../src/protocol/endpoints.ts'
import { mediaTypes } from '../../src/protocol/media-types.ts'
import { readByteSize } from '../../src/protocol/quantities.ts'
import type { Codec } from './codec.ts'
import { type JsonSchema, schemaProblem } from './json-schema.ts'

/** A {@link Codec} of values that a seed file or a caller can give. */
export interface ValueType<Value, Json = Value> extends Codec<Value, Json> {
  /** `read` may accept other spellings too. */
  readonly schema: JsonSchema
  /** The values, if they can be listed. */
  readonly values?: readonly Value[]
}

/** @param parse default: returns a value that matches the schema */
export function valueType<Value>(
  accepts: string,
  schema: JsonSchema,
  parse: (found: unknown) => Value | undefined = (found) =>
    schemaProblem(schema, found) === undefined ? (found as Value) : undefined,
): ValueType<Value> {
  return {
    ...kind(accepts, parse),
    schema: { description: accepts, ...schema },
    write: (value) => value,
    isSound: schema.type === 'string' ? isText : (found) => parse(found) !== undefined,
  }
}

function isText(found: unknown): found is string {
  return typeof found === 'string'
}

function parseText(found: unknown): string | undefined {
  return isText(found) ? found : undefined
}

export const text = valueType('text', { type: 'string' }, parseText)
export const addressRange = valueType('an address or a CIDR range', { type: 'string' }, parseText)
export const nonEmptyText = valueType<string>('text of at least one letter', { type: 'string', minLength: 1 })
/** A longer one could not be used: the sign-in refuses it before any work. */
export const longestPassword = 1_024
export const password = valueType<string>(`text of 1 to ${longestPassword} letters`, {
  type: 'string',
  minLength: 1,
  maxLength: longestPassword,
})
export const trueOrFalse: ValueType<boolean> = {
  ...valueType<boolean>('true or false', { type: 'boolean' }),
  values: [false, true],
}

export function matching(accepts: string, pattern: RegExp): ValueType<string> {
  return valueType(accepts, { type: 'string', pattern: pattern.source }, (found) =>
    isText(found) && pattern.test(found) ? found : undefined,
  )
}

/** Another one would match no request. */
export const pathPattern = matching(
  'a path that begins with / or *, without host and query, such as /api/uploads/*',
  /^[/*][^?#]*$/,
)

export const apiKey = matching('one or more visible ASCII characters', keyPattern)
/** The characters of every slug style; a slug with others would have no working address. */
export const slug = matching('letters, digits, "_" and "-"', /^[A-Za-z0-9_-]+$/)

/** In hexadecimal; lower case only, because digests are compared as text. */
export const digest = matching('a SHA-256 of 64 hexadecimal digits in lower case', /^[0-9a-f]{64}$/)

/** Larger integers are not exact. */
const largestInteger = Number.MAX_SAFE_INTEGER

/** @param of the unit */
export function wholeNumber({ of = '', from = 0, to = largestInteger } = {}): ValueType<number> {
  const range = `from ${from === 0 ? 'zero' : from} ${to === largestInteger ? 'up' : `to ${to}`}`
  const parse = (found: unknown) =>
    typeof found === 'number' && Number.isInteger(found) && found >= from && found <= to ? found : undefined
  return valueType(
    `a whole number ${of && `of ${of} `}${range}`,
    { type: 'integer', minimum: from, maximum: to },
    parse,
  )
}

export const count = wholeNumber()

/** Counts up from 1 and is never reused. */
export const recordId = wholeNumber({ from: 1 })

/** A whole number from zero up, or one of a few words. */
export function numberOr<const Word extends string>(unit: string, ...words: readonly Word[]): ValueType<number | Word> {
  const { description, ...schema } = wholeNumber({ of: unit }).schema
  return valueType(`${description}, or ${words.join(', or ')}`, { anyOf: [schema, { enum: words }] })
}

/** One of a few words or null; what looks like a number, such as `404`, may be given as one. */
export function oneOf<const Value extends string | null>(...values: readonly Value[]): ValueType<Value> {
  const spellings = values.flatMap((value) => (/^\d+$/.test(String(value)) ? [value, Number(value)] : [value]))
  const parse = (found: unknown) => {
    const same = values.find((value) => value === found)
    if (same !== undefined) return same
    const isPlain = found === null || typeof found === 'string' || typeof found === 'number'
    return isPlain ? values.find((value) => String(value) === String(found)) : undefined
  }
  const isSound = (found: unknown) => isText(found) || parse(found) !== undefined
  return { ...valueType(`one of ${values.map(String).join(', ')}`, { enum: spellings }, parse), values, isSound }
}

export const mimeType = oneOf<string>(...mediaTypes.map((type) => type.mimeType))

/** Each name once, in any order: a list, or text with commas. */
export function orderOf<const Name extends string>(...names: readonly Name[]): ValueType<readonly Name[]> {
  const length = names.length
  return valueType(
    `each of ${names.join(', ')} once, in any order`,
    { type: 'array', items: { enum: names }, minItems: length, maxItems: length, uniqueItems: true },
    (found) => {
      const given: readonly unknown[] = isText(found) ? found.split(',') : Array.isArray(found) ? found : []
      const known = given.flatMap((name) => names.find((known) => isText(name) && known === name.trim()) ?? [])
      return given.length === length && new Set(known).size === length ? known : undefined
    },
  )
}

/** In bytes; as text in units of 1,024. */
export const byteSize = valueType(
  'a number of bytes above zero, or a size such as "200MB"',
  {
    anyOf: [
      { type: 'integer', minimum: 1, maximum: largestInteger },
      { type: 'string', pattern: '^[1-9]\\d{0,5}\\s*([kmgtKMGT]?[iI]?[bB]?)?$' },
    ],
  },
  // An object from outside may have a toString that is none.
  (found) => (typeof found === 'object' ? undefined : readByteSize(String(found))),
)

export const timeZoneName = valueType(
  'an IANA time zone such as "Europe/Bucharest"',
  { type: 'string', minLength: 1 },
  (found) => {
    try {
      return typeof found === 'string' && new Intl.DateTimeFormat('en', { timeZone: found }) ? found : undefined
    } catch {
      return undefined
    }
  },
)

/** A day inside the range of four-digit years, so that local times have four-digit years in every time zone. */
const first = Date.parse('0001-01-02T00:00:00Z')
const last = Date.parse('9998-12-30T00:00:00Z')

/** Describes the accepted instants; read after "takes". */
export const usableInstants = 'an instant of the years 1 to 9998, such as "2026-01-15T12:00:00Z"'

/** Whether the emulator and its clients can write an instant, in epoch milliseconds, with a four-digit year. */
export function isUsableInstant(epochMs: unknown): epochMs is number {
  return typeof epochMs === 'number' && epochMs >= first && epochMs <= last
}

/** Epoch milliseconds; ISO 8601 in JSON. */
export const instant: ValueType<number, string> = {
  ...valueType(usableInstants, { type: 'string', minLength: 1 }, (found) => {
    const epochMs = typeof found === 'string' ? Date.parse(found) : Number.NaN
    return isUsableInstant(epochMs) ? epochMs : undefined
  }),
  write: (epochMs) => new Date(epochMs).toISOString(),
  isSound: isUsableInstant,
}

/**
 * @param type a type whose schema has a `type`
 * @param meaning of null
 */
export function orNull<Value, Json>(type: ValueType<Value, Json>, meaning = ''): ValueType<Value | null, Json | null> {
  const jsonTypes = [type.schema.type ?? [], 'null' as const].flat()
  const accepts = `${type.accepts}, or null${meaning && ` ${meaning}`}`
  return {
    ...valueType<Value | null>(accepts, { ...type.schema, description: accepts, type: jsonTypes }, (found) =>
      found === null ? null : soundValue(type, found),
    ),
    write: (value) => (value === null ? null : type.write(value)),
    isSound: (found) => found === null || type.isSound(found),
  }
}

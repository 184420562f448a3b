import { kind } from '../../src/checks/values.ts'
import { keyPattern } from '../../src/protocol/endpoints.ts'
import { mediaTypes } from '../../src/protocol/media-types.ts'
import { readByteSize } from '../../src/protocol/quantities.ts'
import { anyOf, type Codec, type JsonSchema } from './codec.ts'

/** A codec of values that JSON has as they are. */
export function valueType<Value>(
  accepts: string,
  schema: JsonSchema,
  parse: (found: unknown) => Value | undefined,
): Codec<Value> {
  return {
    ...kind(accepts, parse),
    schema: { description: accepts, ...schema },
    write: (value) => value,
  }
}

function isText(found: unknown): found is string {
  return typeof found === 'string'
}

function textType(accepts: string, schema: JsonSchema, fits: (found: string) => boolean = () => true): Codec<string> {
  return valueType(accepts, { type: 'string', ...schema }, (found) =>
    isText(found) && fits(found) ? found : undefined,
  )
}

export const text = textType('text', {})
export const addressRange = textType('an address or a CIDR range', {})
export const nonEmptyText = textType('text of at least one letter', { minLength: 1 }, (found) => found !== '')
/** A longer one could not be used: the sign-in refuses it before any work. */
export const longestPassword = 1_024
export const password = textType(
  `text of 1 to ${longestPassword} letters`,
  { minLength: 1, maxLength: longestPassword },
  ({ length }) => length > 0 && length <= longestPassword,
)

export const trueOrFalse: Codec<boolean> = {
  ...valueType('true or false', { type: 'boolean' }, (found) => (typeof found === 'boolean' ? found : undefined)),
  values: [false, true],
}

export function matching(accepts: string, pattern: RegExp): Codec<string> {
  return textType(accepts, { pattern: pattern.source }, (found) => pattern.test(found))
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

export function numberWithin(
  accepts: string,
  { from = -Number.MAX_VALUE, to = Number.MAX_VALUE, isWhole = false },
): Codec<number> {
  const isNumber = isWhole ? Number.isInteger : Number.isFinite
  const schema: JsonSchema = { type: isWhole ? 'integer' : 'number', minimum: from, maximum: to }
  return valueType(accepts, schema, (found) =>
    isNumber(found) && Number(found) >= from && Number(found) <= to ? Number(found) : undefined,
  )
}

/** Larger integers are not exact. */
const largestInteger = Number.MAX_SAFE_INTEGER

/** @param of the unit */
export function wholeNumber({ of = '', from = 0, to = largestInteger } = {}): Codec<number> {
  const range = `from ${from === 0 ? 'zero' : from} ${to === largestInteger ? 'up' : `to ${to}`}`
  return numberWithin(`a whole number ${of && `of ${of} `}${range}`, { from, to, isWhole: true })
}

export const count = wholeNumber()

/** Counts up from 1 and is never reused. */
export const recordId = wholeNumber({ from: 1 })

/** A whole number from zero up, or one of a few words. */
export function numberOr<const Word extends string>(unit: string, ...words: readonly Word[]): Codec<number | Word> {
  const whole = wholeNumber({ of: unit })
  return anyOf(`${whole.accepts}, or ${words.join(', or ')}`, whole, oneOf(...words))
}

/** One of a few words or null; what looks like a number, such as `404`, may be given as one. */
export function oneOf<const Value extends string | null>(...values: readonly Value[]): Codec<Value> {
  const spellings = values.flatMap((value) => (/^\d+$/.test(String(value)) ? [value, Number(value)] : [value]))
  const byText = new Map(values.map((value) => [String(value), value]))
  const parse = (found: unknown) =>
    found === null || isText(found) || typeof found === 'number' ? byText.get(String(found)) : undefined
  return { ...valueType(`one of ${values.map(String).join(', ')}`, { enum: spellings }, parse), values }
}

export const mimeType = oneOf<string>(...mediaTypes.map((type) => type.mimeType))

/** Each name once, in any order: a list, or text with commas. */
export function orderOf<const Name extends string>(...names: readonly Name[]): Codec<readonly Name[]> {
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
export const byteSize = anyOf(
  'a number of bytes above zero, or a size such as "200MB"',
  // A computed size, such as 0.3 * 1_048_576, is rounded as text is: half a byte to one.
  valueType('a number of bytes', { type: 'number', minimum: 0.5, maximum: largestInteger }, (found) =>
    typeof found === 'number' ? readByteSize(String(found)) : undefined,
  ),
  valueType('a size', { type: 'string', pattern: '^[1-9]\\d{0,5}\\s*([kmgtKMGT]?[iI]?[bB]?)?$' }, (found) =>
    isText(found) ? readByteSize(found) : undefined,
  ),
)

export const timeZoneName = textType('an IANA time zone such as "Europe/Bucharest"', { minLength: 1 }, (timeZone) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }) !== undefined
  } catch {
    return false
  }
})

/** A day inside the range of four-digit years, so that local times have four-digit years in every time zone. */
const first = Date.parse('0001-01-02T00:00:00Z')
const last = Date.parse('9998-12-30T00:00:00Z')

const usableInstants = 'an instant of the years 1 to 9998, such as "2026-01-15T12:00:00Z"'

/** Whether the emulator and its clients can write an instant, in epoch milliseconds, with a four-digit year. */
export function isUsableInstant(epochMs: unknown): epochMs is number {
  return typeof epochMs === 'number' && epochMs >= first && epochMs <= last
}

/** Epoch milliseconds; ISO 8601 in JSON. */
export const instant: Codec<number, string> = {
  ...kind(usableInstants, (found) => {
    const epochMs = isText(found) ? Date.parse(found) : Number.NaN
    return isUsableInstant(epochMs) ? epochMs : undefined
  }),
  schema: { description: usableInstants, type: 'string', minLength: 1 },
  write: (epochMs) => new Date(epochMs).toISOString(),
}

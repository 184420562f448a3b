import { type JsonSchema, largestExactInteger } from './json-schema.ts'

/** A kind of value a setting takes: how it is described to people and how it is read. */
export interface SettingKind<Value> {
  /** What is accepted, to be read after "takes". */
  readonly accepts: string
  /** What is accepted in a file; `read` bears a few spellings more. */
  readonly schema: JsonSchema
  /** The values there are, where they can be listed. */
  readonly values?: readonly Value[]
  /**
   * Reads a value as it arrives from options or JSON.
   * @param current the value it would replace, for kinds that merge
   * @returns undefined where the value is not of this kind
   */
  read(value: unknown, current: Value): Value | undefined
}

export const trueOrFalse: SettingKind<boolean> = {
  accepts: 'true or false',
  schema: { type: 'boolean' },
  values: [false, true],
  read: (value) => (typeof value === 'boolean' ? value : undefined),
}

/** One of a few words or null; what looks like a number, such as `404`, may be given as one. */
export function oneOf<const Value extends string | null>(...values: readonly Value[]): SettingKind<Value> {
  return {
    accepts: `one of ${values.map(String).join(', ')}`,
    schema: { enum: values.flatMap((value) => (/^\d+$/.test(String(value)) ? [value, Number(value)] : [value])) },
    values,
    read(value) {
      const isPlain = value === null || typeof value === 'string' || typeof value === 'number'
      return isPlain ? values.find((known) => String(known) === String(value)) : undefined
    },
  }
}

/** A whole number from zero up, or one of a few words. */
export function numberOr<const Word extends string = never>(
  unit: string,
  ...words: readonly Word[]
): SettingKind<number | Word> {
  return {
    accepts: ['a whole number of ', unit, ' from zero up', ...words.map((word) => `, or ${word}`)].join(''),
    schema: {
      anyOf: [
        { type: 'integer', minimum: 0, maximum: largestExactInteger },
        ...(words.length === 0 ? [] : [{ enum: words }]),
      ],
    },
    read(value) {
      if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined
      return words.find((word) => word === value)
    },
  }
}

/** A whole number between two others, both of them included. */
export function between(least: number, most: number): SettingKind<number> {
  return {
    accepts: `a whole number from ${least} to ${most}`,
    schema: { type: 'integer', minimum: least, maximum: most },
    read: (value) =>
      Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most ? Number(value) : undefined,
  }
}

/** Some names, each of them once, in an order that is to be chosen; a list, or text with commas. */
export function orderOf<const Name extends string>(...names: readonly Name[]): SettingKind<readonly Name[]> {
  return {
    accepts: `each of ${names.join(', ')} once, in any order`,
    schema: {
      type: 'array',
      items: { enum: names },
      minItems: names.length,
      maxItems: names.length,
      uniqueItems: true,
    },
    read(value) {
      const given: readonly unknown[] = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : []
      const known = given.flatMap((name) => names.find((candidate) => candidate === String(name).trim()) ?? [])
      return given.length === names.length && new Set(known).size === names.length ? known : undefined
    },
  }
}

/** Bytes as the service counts them: 1 KB is 1,024 bytes, 1 MB 1,024 of those. */
export const byteSize: SettingKind<number> = {
  accepts: 'a number of bytes above zero, or a size such as "200MB"',
  schema: {
    anyOf: [
      { type: 'integer', minimum: 1, maximum: largestExactInteger },
      { type: 'string', pattern: '^[1-9]\\d{0,5}\\s*([kmgKMG]?[iI]?[bB])?$' },
    ],
  },
  read(value) {
    const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmg]?)i?b?$/i.exec(String(value).trim()) ?? []
    const bytes = Math.round(Number(number) * 1_024 ** ' kmg'.indexOf(unit.toLowerCase() || ' '))
    return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined
  },
}

export const timeZoneName: SettingKind<string> = {
  accepts: 'an IANA time zone such as "Europe/Bucharest"',
  schema: { type: 'string', minLength: 1 },
  read(value) {
    if (typeof value !== 'string') return undefined
    try {
      return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone && value
    } catch {
      return undefined
    }
  },
}

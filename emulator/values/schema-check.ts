import type { JsonSchema, JsonType } from './json-schema.ts'
import { nearestWord } from './nearest-word.ts'
import { quoted } from './quoted.ts'

/** The first thing about a value that its schema does not have. */
export interface SchemaProblem {
  /** A JSON pointer; empty where it is the value itself. */
  readonly at: string
  /** To be read after the place: what belongs there, and what was found. */
  readonly message: string
}

/** Looks at a value as it was found. @returns undefined where it is as its schema has it */
export function problemOf(schema: JsonSchema, found: unknown, at = ''): SchemaProblem | undefined {
  if (schema.anyOf !== undefined) return problemOfAny(schema, schema.anyOf, found, at)
  if (!isOfType(schema, found) || !isWithin(schema, found)) return wrong(schema, found, at)
  if (Array.isArray(found)) return problemOfItems(schema, found, at)
  return isObject(found) ? problemOfFields(schema, found, at) : undefined
}

/** Of several schemas the one is spoken of that is meant: it is for a value of this kind, and has a field of it. */
function problemOfAny(schema: JsonSchema, options: readonly JsonSchema[], found: unknown, at: string) {
  if (options.some((option) => problemOf(option, found, at) === undefined)) return undefined
  const fitting = options.filter((option) => option.type !== undefined && isOfType(option, found))
  const [only, ...others] = fitting.filter(
    ({ required = [] }) => isObject(found) && required.some((name) => name in found),
  )
  const meant = others.length === 0 ? (only ?? fitting.find(({ required }) => required === undefined)) : undefined
  return meant === undefined ? wrong(schema, found, at) : problemOf(described(meant, schema), found, at)
}

function problemOfItems(
  { items = {}, minItems = 0, maxItems = Infinity, ...schema }: JsonSchema,
  found: readonly unknown[],
  at: string,
) {
  if (found.length < minItems || found.length > maxItems) return wrong(schema, found, at)
  if (schema.uniqueItems && new Set(found).size < found.length) return wrong(schema, found, at)
  return first(found.keys(), (index) => problemOf(items, found[index], `${at}/${index}`))
}

function problemOfFields(schema: JsonSchema, found: Readonly<Record<string, unknown>>, at: string) {
  const { properties = {}, required = [], additionalProperties } = schema
  const names = Object.keys(properties)
  return first(new Set([...required, ...Object.keys(found)]), (name) => {
    const place = `${at}/${escaped(name)}`
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (found[name] === undefined) {
      return required.includes(name) ? { at: place, message: `is missing; it takes ${field?.description}` } : undefined
    }
    if (field !== undefined) return problemOf(field, found[name], place)
    if (additionalProperties !== false) return undefined
    const meant = nearestWord(name, names)
    const advice = meant === undefined ? 'there are' : `did you mean ${meant}? There are`
    return { at: place, message: `is not a field here; ${advice} ${names.join(', ')}` }
  })
}

function first<Item>(
  items: Iterable<Item>,
  look: (item: Item) => SchemaProblem | undefined,
): SchemaProblem | undefined {
  for (const item of items) {
    const problem = look(item)
    if (problem !== undefined) return problem
  }
  return undefined
}

function wrong({ description }: JsonSchema, found: unknown, at: string): SchemaProblem {
  return { at, message: `takes ${description}, but has ${quoted(found)}` }
}

/** A schema that has no words of its own is spoken of in those of the one around it. */
function described(schema: JsonSchema, { description }: JsonSchema): JsonSchema {
  return description === undefined || schema.description !== undefined ? schema : { ...schema, description }
}

function isOfType({ type }: JsonSchema, found: unknown): boolean {
  return type === undefined || [type].flat().some((name) => isType[name](found))
}

const isType: Readonly<Record<JsonType, (found: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (found) => typeof found === 'string',
  number: Number.isFinite,
  integer: Number.isInteger,
  boolean: (found) => typeof found === 'boolean',
  null: (found) => found === null,
}

function isWithin(schema: JsonSchema, found: unknown): boolean {
  if (schema.enum !== undefined && !schema.enum.includes(found)) return false
  if (typeof found === 'number') return found >= (schema.minimum ?? -Infinity) && found <= (schema.maximum ?? Infinity)
  if (typeof found !== 'string') return true
  return found.length >= (schema.minLength ?? 0) && new RegExp(schema.pattern ?? '', 'u').test(found)
}

function isObject(found: unknown): found is Readonly<Record<string, unknown>> {
  return typeof found === 'object' && found !== null && !Array.isArray(found)
}

/** As RFC 6901 has it. */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

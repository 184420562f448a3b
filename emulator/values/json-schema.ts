import { isObject } from '../../src/checks/json.ts'
import { nearestWord } from '../../src/checks/nearest-word.ts'
import { quoted } from '../../src/checks/quoted.ts'

/** The keywords of JSON Schema in use; `description` says in words what is accepted. */
export interface JsonSchema {
  /** Read after "takes". */
  readonly description?: string
  readonly type?: JsonType | readonly JsonType[]
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

type JsonType = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null'

/** The first difference between a value and its schema. */
export interface SchemaProblem {
  /** A JSON pointer; empty for the value itself. */
  readonly at: string
  /** What belongs there and what was found; read after the place. */
  readonly message: string
}

/** The one wording of a refused value; read after its place. */
export function mismatch(accepts: string | undefined, found: unknown): string {
  return `takes ${accepts}, but got ${quoted(found)}`
}

/** @returns undefined if the value matches the schema */
export function schemaProblem(schema: JsonSchema, found: unknown, at = ''): SchemaProblem | undefined {
  if (schema.anyOf !== undefined) return problemOfAny(schema, schema.anyOf, found, at)
  if (!isOfType(schema, found) || !isWithin(schema, found)) return wrong(schema, found, at)
  if (Array.isArray(found)) return problemOfItems(schema, found, at)
  return isObject(found) ? problemOfFields(schema, found, at) : undefined
}

/** Reports the problem of the alternative that is meant: the one for this type of value that has a field of it. */
function problemOfAny(schema: JsonSchema, options: readonly JsonSchema[], found: unknown, at: string) {
  if (options.some((option) => schemaProblem(option, found, at) === undefined)) return undefined
  const fitting = options.filter((option) => option.type !== undefined && isOfType(option, found))
  const [only, ...others] = fitting.filter(
    ({ required = [] }) => isObject(found) && required.some((name) => name in found),
  )
  const meant = others.length === 0 ? (only ?? fitting.find(({ required }) => required === undefined)) : undefined
  if (meant === undefined) return wrong(schema, found, at)
  const { description } = schema
  return schemaProblem({ ...(description !== undefined && { description }), ...meant }, found, at)
}

function problemOfItems(
  { items = {}, minItems = 0, maxItems = Infinity, ...schema }: JsonSchema,
  found: readonly unknown[],
  at: string,
) {
  if (found.length < minItems || found.length > maxItems) return wrong(schema, found, at)
  if (schema.uniqueItems && new Set(found).size < found.length) return wrong(schema, found, at)
  return first(found.keys(), (index) => schemaProblem(items, found[index], `${at}/${index}`))
}

function problemOfFields(schema: JsonSchema, found: Readonly<Record<string, unknown>>, at: string) {
  const { properties = {}, required = [], additionalProperties } = schema
  return first(new Set([...required, ...Object.keys(found)]), (name) => {
    const place = `${at}/${escaped(name)}`
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (found[name] === undefined) {
      return required.includes(name) ? { at: place, message: `is missing; it takes ${field?.description}` } : undefined
    }
    if (field !== undefined) return schemaProblem(field, found[name], place)
    if (additionalProperties !== false) return undefined
    return { at: place, message: `is not a field here; ${knownNames(name, Object.keys(properties))}` }
  })
}

/** Lists the known names after an unknown one, the nearest first. */
export function knownNames(unknown: string, names: readonly string[]): string {
  const meant = nearestWord(unknown, names)
  return `${meant === undefined ? 'there are' : `did you mean ${meant}? There are`} ${names.join(', ')}`
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
  return { at, message: mismatch(description, found) }
}

function isOfType({ type }: JsonSchema, found: unknown): boolean {
  if (type === undefined) return true
  return typeof type === 'string' ? isType[type](found) : type.some((name) => isType[name](found))
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
  if (found.length < (schema.minLength ?? 0) || found.length > (schema.maxLength ?? Infinity)) return false
  return schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(found)
}

/** For a JSON pointer (RFC 6901). */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

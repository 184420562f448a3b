import { isObject } from '../../system/json.ts'
import { usageError } from '../failures/cli-error.ts'

/** The fields of an upload, as the service names them (spec 2.1). */
export const uploadFields = [
  'slug',
  'title',
  'url',
  'direct_url',
  'thumb_url',
  'mime_type',
  'size',
  'views',
  'likes',
  'created_at',
] as const

/**
 * Reads `--fields a,b`.
 * @throws CliError naming the fields there are
 */
export function parseFields(text: string, known: readonly string[]): readonly string[] {
  const fields = text
    .split(',')
    .map((field) => field.trim())
    .filter((field) => field !== '')
  const wrong = fields.find((field) => !known.includes(field))
  if (wrong !== undefined || fields.length === 0) {
    throw usageError(`--fields: there is no field ${JSON.stringify(wrong ?? text)}`, `Fields: ${known.join(', ')}`)
  }
  return fields
}

/**
 * The chosen fields of an object, in the order chosen. A field the object does not have itself is looked for one level
 * down, so that `file,url` picks from the record of an upload and from the upload in it. Null where it is nowhere.
 */
export function pickFields(value: object, fields: readonly string[] | undefined): object {
  if (fields === undefined) return value
  return Object.fromEntries(fields.map((field) => [field, fieldOf(value as Fields, field)]))
}

type Fields = Readonly<Record<string, unknown>>

function fieldOf(value: Fields, field: string): unknown {
  if (Object.hasOwn(value, field)) return value[field]
  const holder = Object.values(value).find((inner) => isObject(inner) && Object.hasOwn(inner, field))
  return isObject(holder) ? holder[field] : null
}

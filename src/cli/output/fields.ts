import { isObject } from '../../checks/json.ts'
import type { Upload } from '../../index.ts'
import { usageError } from '../failures/cli-error.ts'
import { hints } from '../failures/hints.ts'

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
] as const satisfies readonly (keyof Upload)[]

/** Those that `--fields` may name where uploads are shown. */
export const shownFields = [...uploadFields, 'name'] as const

export type NamedUpload = Upload & { readonly name?: string | null }

export function withName(upload: Upload, name: string | null | undefined): NamedUpload {
  return { ...upload, name: name ?? null }
}

/** Reads `--fields a,b`. @throws CliError naming the known fields */
export function parseFields(text: string, known: readonly string[]): readonly string[] {
  const names = text.split(',').flatMap((name) => name.trim() || [])
  const wrong = names.length === 0 ? text : names.find((name) => !known.includes(name))
  if (wrong === undefined) return names
  throw usageError(`--fields: unknown field ${JSON.stringify(wrong)}`, hints.oneOf('Fields', known))
}

/**
 * Picks fields of an object, in the given order. A field that the object lacks is searched one level down, so that
 * `file,url` picks from the record of an upload and from the upload in it. Null for a field found nowhere.
 */
export function pickFields(value: object, fields: readonly string[]): object {
  const holders = [value, ...Object.values(value).filter(isObject)] as readonly Readonly<Record<string, unknown>>[]
  const found = (field: string) => holders.find((one) => Object.hasOwn(one, field))?.[field] ?? null
  return Object.fromEntries(fields.map((field) => [field, found(field)]))
}

import { quoted } from './quoted.ts'

/** A field that may be changed: what it takes, and how it is read. */
export interface PatchField<Value> {
  /** To be read after "takes". */
  readonly accepts: string
  accept(value: unknown): value is Value
}

export type PatchFields<Patch> = { readonly [Name in keyof Patch]-?: PatchField<Exclude<Patch[Name], undefined>> }

/**
 * Checks changes as they arrive from a caller without types; fields that are undefined are left out.
 * @throws TypeError naming the fields there are, or what the refused one takes
 */
export function parsePatch<Patch extends object>(patch: Patch, fields: PatchFields<Patch>): Patch {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) {
    throw new TypeError(`Give an object with any of ${Object.keys(fields).join(', ')}`)
  }
  const given = Object.entries(patch).filter(([, value]) => value !== undefined)
  for (const [name, value] of given) {
    if (!isField(name, fields)) {
      throw new TypeError(`There is no field ${quoted(name)}; there are ${Object.keys(fields).join(', ')}`)
    }
    const field = fields[name]
    if (!field.accept(value)) {
      throw new TypeError(`The field ${name} takes ${field.accepts}, but got ${quoted(value)}`)
    }
  }
  return Object.fromEntries(given) as Patch
}

export const count: PatchField<number> = {
  accepts: 'a whole number from zero up',
  accept: (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0,
}

export const flag: PatchField<boolean> = {
  accepts: 'true or false',
  accept: (value) => typeof value === 'boolean',
}

export const nonEmptyText: PatchField<string> = {
  accepts: 'text of at least one letter',
  accept: (value): value is string => typeof value === 'string' && value !== '',
}

export const textOrNull: PatchField<string | null> = {
  accepts: 'text or null',
  accept: (value) => value === null || typeof value === 'string',
}

export const textList: PatchField<readonly string[]> = {
  accepts: 'a list of texts',
  accept: (value): value is readonly string[] =>
    Array.isArray(value) && value.every((item) => typeof item === 'string'),
}

function isField<Fields extends object>(name: string, fields: Fields): name is string & keyof Fields {
  return Object.hasOwn(fields, name)
}

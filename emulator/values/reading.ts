import { invalidValue, quoted } from '../../src/checks/coded-error.ts'
import { type Fields, type FieldsOf, type Kind, Mismatch, someFields } from '../../src/checks/values.ts'
import { snakeCase } from './codec.ts'

/** The one wording of a refused value; read after its place. */
export function mismatchWords({ accepts, found, names }: Mismatch): string {
  if (names !== undefined) return `is not a field here; there are ${names.join(', ')}`
  return found === undefined ? `is missing; it takes ${accepts}` : `takes ${accepts}, but got ${quoted(found)}`
}

/**
 * Reads JSON from outside.
 * @param at the place of the value; begins the message
 * @throws TypeError saying what the place takes
 */
export function readAt<Value>({ read }: Kind<Value>, found: unknown, at: string): Value {
  const value = read(found)
  if (!(value instanceof Mismatch)) return value
  throw invalidValue(`${at}${value.at} ${mismatchWords(value)}`)
}

/**
 * Reads some of an object's fields from an untyped caller, leaving out those that are undefined.
 * @throws TypeError listing the fields, or saying what the refused one takes
 */
export function readFields<const Of extends Fields>(
  given: unknown,
  codecs: Of,
  required: readonly string[] = [],
): Partial<FieldsOf<Of>> {
  const read = someFields(codecs, { required, written: snakeCase }).read(given)
  if (!(read instanceof Mismatch)) return read
  const { steps, names, accepts } = read
  if (steps.length === 0) throw invalidValue(`Give ${accepts}`)
  const at = read.at.slice(1)
  if (names === undefined) throw invalidValue(`The field ${at} ${mismatchWords(read)}`)
  throw invalidValue(`There is no field ${quoted(at)}; there are ${names.join(', ')}`)
}

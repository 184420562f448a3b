import { ArgumentError, invalidValue, isPlain, kindOf, OutOfRangeError, quoted } from './coded-error.ts'
import { aText, type Fields, type Kind, kindBy, Mismatch, type ObjectWords, someFields } from './values.ts'

/** What one option takes. Given is what is used: the value that was read is not looked at. */
export interface OptionCheck extends Kind<unknown> {
  /** Of an option that takes a number: another number is a RangeError. */
  readonly isNumber?: boolean
  /** A message then has only the kind of a refused value. */
  readonly isSecret?: boolean
}

/** A check for every option: a type of options that grows demands its check here. */
export type OptionChecks<Options extends object = Record<string, unknown>> = {
  readonly [Name in keyof Options]-?: OptionCheck
}

export interface OptionWords extends Pick<ObjectWords, 'required'> {
  /** Read after "takes", where no object is given. Default: an object with the names. */
  readonly takes?: string
}

/**
 * Refuses unknown options by name, and values of another type. A name whose value is undefined is not there.
 *
 * @param owner what messages call the function
 * @throws TypeError with the code `unknown-option` or `invalid-value`; RangeError with the latter
 */
export function checkOptions(owner: string, given: unknown, checks: OptionChecks, words: OptionWords = {}): void {
  if (!isOptions(given, checks)) {
    const { takes = `an object with any of ${listed(checks)}` } = words
    throw invalidValue(`${owner} takes ${takes}, but got ${kindOf(given)}`)
  }
  const read = someFields(checks, words).read(given)
  if (!(read instanceof Mismatch)) return
  const { accepts, found, names, steps } = read
  const at = read.at.slice(1)
  const siblings = steps.slice(0, -1).reduce<Fields>((fields, step) => fields[step]?.fields ?? {}, checks)
  if (names !== undefined) throw unknownOption(owner, at, siblings)
  if (found === undefined) throw invalidValue(`The option ${at} of ${owner} is missing: it takes ${accepts}`)
  throw refused(owner, at, siblings[steps.at(-1) ?? ''] ?? read, found)
}

/** An instance of another class is a mistake, such as an AbortSignal in place of `{ signal }`, unless it has an option. */
function isOptions(given: unknown, checks: OptionChecks): given is object {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return false
  return isPlain(given) || Object.keys(given).length > 0 || Object.keys(checks).some((name) => name in given)
}

function refused(
  owner: string,
  path: string,
  { accepts, isNumber, isSecret }: Omit<OptionCheck, 'read'>,
  value: unknown,
): Error {
  const got = isSecret || typeof value === 'object' ? kindOf(value) : quoted(value)
  const message = `The option ${path} of ${owner} takes ${accepts}, but got ${got}`
  return isNumber && typeof value === 'number' ? new OutOfRangeError(message) : invalidValue(message)
}

function unknownOption(owner: string, path: string, siblings: Fields): Error {
  return new ArgumentError('unknown-option', `${owner} has no option ${quoted(path)}; it has ${listed(siblings)}`)
}

function listed(fields: Fields): string {
  return Object.keys(fields).join(', ')
}

/** The kinds of options that several functions have, besides those of all values. */
export const aSecret: OptionCheck = { ...aText, isSecret: true }
export const aFunction = kindBy('a function', (found) => typeof found === 'function')
export const aList = kindBy('a list', Array.isArray)

/** By its shape: an environment for tests may have a class of its own. */
export const aSignal = kindBy(
  'an AbortSignal, such as the signal of an AbortController',
  (found) => hasMethods(found, ['addEventListener']) && typeof Object(found).aborted === 'boolean',
)

/** @param accepts with the unit */
export function numberFrom(least: number, accepts: string): OptionCheck {
  return { ...kindBy(accepts, (found) => typeof found === 'number' && found >= least), isNumber: true }
}

export function wholeNumberFrom(least: number, accepts: string, most = Number.MAX_VALUE): OptionCheck {
  const isWithin = (found: unknown) => Number.isInteger(found) && Number(found) >= least && Number(found) <= most
  return { ...kindBy(accepts, isWithin), isNumber: true }
}

/** An object with these methods: a port of the library. */
export function objectWith(methods: readonly string[], accepts: string): OptionCheck {
  return kindBy(accepts, (found) => hasMethods(found, methods))
}

export function hasMethods(found: unknown, methods: readonly string[]): boolean {
  return methods.every((method) => typeof Object(found)[method] === 'function')
}

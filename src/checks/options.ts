import { ArgumentError, invalidValue, OutOfRangeError } from './coded-error.ts'
import { nearestWord } from './nearest-word.ts'
import { isPlain, kindOf, quoted } from './quoted.ts'
import { aText, isOfKind, type Kind, kindBy } from './values.ts'

/** What one option takes. Given is what is used: the value that was read is not looked at. */
export interface OptionCheck extends Kind<unknown> {
  /** Of an option that takes a number: another number is a RangeError. */
  readonly isNumber?: boolean
  /** A message then has only the kind of a refused value. */
  readonly isSecret?: boolean
  /** What a refused value is, and what to do, where that helps more than its kind. Must not contain a secret. */
  readonly found?: (value: unknown) => string | undefined
  /** Of an option that is an object with options of its own. */
  readonly options?: OptionChecks
  /** Those of them that cannot be left out. */
  readonly required?: readonly string[]
}

/** A check for every option: a type of options that grows demands its check here. */
export type OptionChecks<Options extends object = Record<string, unknown>> = {
  readonly [Name in keyof Options]-?: OptionCheck
}

export interface OptionWords {
  /** Read after "takes", where no object is given. Default: an object with the names. */
  readonly takes?: string
  /** Names that a call cannot do without. */
  readonly required?: readonly string[]
  /** What to use instead of names that people try. */
  readonly instead?: Readonly<Record<string, string>>
}

/**
 * Refuses unknown options by the nearest name, and values of another type. A name whose value is undefined is not there.
 *
 * @param owner what messages call the function
 * @throws TypeError with the code `unknown-option` or `invalid-value`; RangeError with the latter
 */
export function checkOptions(owner: string, given: unknown, checks: OptionChecks, words: OptionWords = {}): void {
  if (!isOptions(given, checks)) {
    const { takes = `an object with any of ${listed(checks)}` } = words
    throw invalidValue(`${owner} takes ${takes}, but got ${kindOf(given)}`)
  }
  checkNested(owner, '', given, checks, words)
}

/** An instance of another class is a mistake, such as an AbortSignal in place of `{ signal }`, unless it has an option. */
function isOptions(given: unknown, checks: OptionChecks): given is object {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return false
  return isPlain(given) || Object.keys(given).length > 0 || Object.keys(checks).some((name) => name in given)
}

function checkNested(owner: string, prefix: string, given: object, checks: OptionChecks, words: OptionWords): void {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    const path = `${prefix}${name}`
    if (check === undefined) throw unknownOption(owner, path, prefix, checks, words)
    const isNested =
      check.options !== undefined && typeof value === 'object' && value !== null && !isOfKind(check, value)
    if (isNested && !Array.isArray(value)) checkNested(owner, `${path}.`, value, check.options, check)
    else if (!isOfKind(check, value)) throw refused(owner, path, check, value)
  }
  const missing = words.required?.find((name) => Reflect.get(given, name) === undefined)
  if (missing === undefined) return
  throw invalidValue(`The option ${prefix}${missing} of ${owner} is missing: it takes ${checks[missing]?.accepts}`)
}

function refused(owner: string, path: string, check: OptionCheck, value: unknown): Error {
  const { accepts, isNumber, isSecret } = check
  const found = check.found?.(value) ?? (isSecret || typeof value === 'object' ? kindOf(value) : quoted(value))
  const message = `The option ${path} of ${owner} takes ${accepts}, but got ${found}`
  return isNumber && typeof value === 'number' ? new OutOfRangeError(message) : invalidValue(message)
}

function unknownOption(owner: string, path: string, prefix: string, checks: OptionChecks, words: OptionWords): Error {
  const name = path.slice(prefix.length)
  const problem = `${owner} has no option ${quoted(path)}`
  const instead = Object.hasOwn(words.instead ?? {}, name) ? words.instead?.[name] : undefined
  if (instead !== undefined) return new ArgumentError('unknown-option', `${problem}: ${instead}`)
  const nearest = nearestWord(name, Object.keys(checks))
  const meant = nearest === undefined ? nestedName(name, checks) : `${prefix}${nearest}`
  const advice = meant === undefined ? `; it has ${listed(checks)}` : `. Did you mean ${quoted(meant)}?`
  return new ArgumentError('unknown-option', `${problem}${advice}`)
}

/** An option of an option, such as `retry.retries` for `retries`. */
function nestedName(name: string, checks: OptionChecks): string | undefined {
  const owner = Object.keys(checks).find((parent) => Object.hasOwn(checks[parent]?.options ?? {}, name))
  return owner && `${owner}.${name}`
}

function listed(checks: OptionChecks): string {
  return Object.keys(checks).join(', ')
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

export function wholeNumberFrom(least: number, accepts: string): OptionCheck {
  return { ...kindBy(accepts, (found) => Number.isInteger(found) && Number(found) >= least), isNumber: true }
}

/** An object with these methods: a port of the library. */
export function objectWith(methods: readonly string[], accepts: string): OptionCheck {
  return kindBy(accepts, (found) => hasMethods(found, methods))
}

export function oneOfWords(words: readonly unknown[], accepts: string): OptionCheck {
  return kindBy(accepts, (found) => words.includes(found))
}

/** An object with options of its own. */
export function optionsOf(accepts: string, options: OptionChecks, required: readonly string[] = []): OptionCheck {
  return { ...kindBy(accepts, () => false), options, required }
}

/** What one of the checks takes; the options of the last one that has some. */
export function either(accepts: string, ...checks: readonly OptionCheck[]): OptionCheck {
  const options = checks.findLast((check) => check.options !== undefined)?.options
  const isNumber = checks.some((check) => check.isNumber)
  const oneTakes = kindBy(accepts, (found) => checks.some((check) => isOfKind(check, found)))
  return { ...oneTakes, isNumber, ...(options && { options }) }
}

export function hasMethods(found: unknown, methods: readonly string[]): boolean {
  if ((typeof found !== 'object' && typeof found !== 'function') || found === null) return false
  return methods.every((method) => typeof Reflect.get(found, method) === 'function')
}

import type { OptionCheck, OptionChecks } from './options.ts'
import { aText, isOfKind, kindBy } from './values.ts'

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

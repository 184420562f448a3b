import type { OptionCheck, OptionChecks } from './options.ts'

/** The kinds of options that several functions have. */
export const aText: OptionCheck = { accepts: 'a text', test: (value) => typeof value === 'string' }
export const aSecret: OptionCheck = { ...aText, isSecret: true }
export const aBoolean: OptionCheck = { accepts: 'true or false', test: (value) => typeof value === 'boolean' }
export const aFunction: OptionCheck = { accepts: 'a function', test: (value) => typeof value === 'function' }
export const aList: OptionCheck = { accepts: 'a list', test: Array.isArray }
export const anything: OptionCheck = { accepts: 'any value', test: () => true }

/** By its shape: an environment for tests may have a class of its own. */
export const aSignal: OptionCheck = {
  accepts: 'an AbortSignal, such as the signal of an AbortController',
  test: (value) => hasMethods(value, ['addEventListener']) && typeof Object(value).aborted === 'boolean',
}

/** @param accepts with the unit */
export function numberFrom(least: number, accepts: string): OptionCheck {
  return { accepts, isNumber: true, test: (value) => typeof value === 'number' && value >= least }
}

export function wholeNumberFrom(least: number, accepts: string): OptionCheck {
  return { accepts, isNumber: true, test: (value) => Number.isInteger(value) && Number(value) >= least }
}

/** An object with these methods: a port of the library. */
export function objectWith(methods: readonly string[], accepts: string): OptionCheck {
  return { accepts, test: (value) => hasMethods(value, methods) }
}

export function oneOfWords(words: readonly unknown[], accepts: string): OptionCheck {
  return { accepts, test: (value) => words.includes(value) }
}

/** An object with options of its own. */
export function optionsOf(accepts: string, options: OptionChecks, required: readonly string[] = []): OptionCheck {
  return { accepts, options, required, test: () => false }
}

/** What one of the checks takes; the options of the last one that has some. */
export function either(accepts: string, ...checks: readonly OptionCheck[]): OptionCheck {
  const options = checks.findLast((check) => check.options !== undefined)?.options
  const isNumber = checks.some((check) => check.isNumber)
  return { accepts, isNumber, test: (value) => checks.some((check) => check.test(value)), ...(options && { options }) }
}

function hasMethods(value: unknown, methods: readonly string[]): boolean {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  return methods.every((method) => typeof Reflect.get(value, method) === 'function')
}

import { soundValue } from '../../src/checks/values.ts'
import { type QuotaLimits, windowNames } from '../../src/protocol/rate-limits.ts'
import { TakenError } from '../service/refusal.ts'
import { orNull, wholeNumber } from '../values/value-type.ts'
import { type ActionCall, FieldError } from './section.ts'

type Fields = ActionCall['fields']

/** A field's text; empty if the form lacks it. */
export function textOf(fields: Fields, name: string): string {
  const value = fields.get(name)
  return typeof value === 'string' ? value : ''
}

/** A field's text without blanks around it; undefined if nothing was entered. */
export function enteredText(fields: Fields, name: string): string | undefined {
  const text = textOf(fields, name).trim()
  return text === '' ? undefined : text
}

/** A number if the text is one; otherwise the text, for the check of the value to refuse in its words. */
export function numberOrText(text: string): number | string {
  return /^-?\d{1,17}(\.\d+)?$/.test(text) ? Number(text) : text
}

const limit = orNull(wholeNumber({ of: 'units' }), 'for an unlimited window')

/**
 * The limits that a form has, each in a field of its own; an empty field is an unlimited window.
 * @throws FieldError naming the field
 */
export function readLimits(fields: Fields, fieldOf: (window: string) => string): QuotaLimits {
  const limits = windowNames.map((window) => {
    const name = fieldOf(window)
    const text = enteredText(fields, name)
    const value = text === undefined ? null : soundValue(limit, numberOrText(text))
    if (value === undefined) throw new FieldError(name, 'Takes whole units, or nothing for an unlimited window')
    return [window, value]
  })
  return Object.fromEntries(limits)
}

/** What is missing or unknown is no fault of the field. */
export function besideField<Result>(name: string, act: () => Result): Result {
  try {
    return act()
  } catch (error) {
    throw error instanceof TypeError || error instanceof TakenError ? new FieldError(name, error.message) : error
  }
}

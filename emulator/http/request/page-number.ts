import { type Result, refused, succeeded } from '../../service/refusal.ts'
import { maxInteger, PhpArray, trimmed } from './php-variables.ts'

const maxIntegerLength = String(-maxInteger).length

/**
 * Reads the `page` parameter: a whole number above zero; a plus sign and surrounding blanks are allowed. Missing or
 * blank means page 1. The spec leaves open how to answer an invalid one (spec 4.2).
 *
 * @param value null if the parameter is a list
 * @returns the page, counted from 1, or the message of a validation error
 */
export function parsePage(value: string | null | undefined): Result<number, string> {
  const text = trimmed(value ?? '')
  if (text === '' && value !== null) return succeeded(1)
  if (/^[1-9]\d{0,14}$/.test(text)) return succeeded(Number(text))
  const isInteger = text.length <= maxIntegerLength && /^[+-]?(?:0|[1-9]\d*)$/.test(text)
  const number = isInteger ? BigInt(text.replace('+', '')) : undefined
  if (number === undefined || number > maxInteger) return refused('The page field must be an integer.')
  if (number < 1n) return refused('The page field must be at least 1.')
  return succeeded(Number(number < BigInt(Number.MAX_SAFE_INTEGER) ? number : Number.MAX_SAFE_INTEGER))
}

/** The query without `page`, as the framework writes it into page URLs: empty, or `name=value&`. */
export function queryWithoutPage(query: PhpArray): string {
  return [...query.values].map(([name, value]) => (name === 'page' ? '' : pairs(escaped(name), value))).join('')
}

/** Blank values are left out. */
function pairs(name: string, value: string | PhpArray): string {
  if (value instanceof PhpArray) {
    return [...value.values].map(([key, inner]) => pairs(`${name}%5B${escaped(key)}%5D`, inner)).join('')
  }
  const text = trimmed(value)
  return text === '' ? '' : `${name}=${escaped(text)}&`
}

/** Percent-encodes every byte that RFC 3986 reserves. */
function escaped(bytes: string): string {
  return bytes.replace(
    /[^A-Za-z0-9._~-]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}

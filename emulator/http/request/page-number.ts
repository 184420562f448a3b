import { largestInteger, PhpArray, trimmed } from './php-variables.ts'

/** Page numbers count from 1. */
export type ParsedPage = { readonly page: number } | { readonly fault: string }

const longestInteger = String(-largestInteger).length

/**
 * Reads the `page` parameter: whole numbers above zero, one plus sign and blanks allowed. An absent or blank one is the
 * first page; what becomes of one with a fault is left open (spec 4.2).
 *
 * @param value null where the parameter is a list
 */
export function parsePage(value: string | null | undefined): ParsedPage {
  const text = trimmed(value ?? '')
  if (text === '' && value !== null) return { page: 1 }
  const isInteger = text.length <= longestInteger && /^[+-]?(?:0|[1-9]\d*)$/.test(text)
  const number = isInteger ? BigInt(text.replace('+', '')) : undefined
  if (number === undefined || number > largestInteger) return { fault: 'The page field must be an integer.' }
  if (number < 1n) return { fault: 'The page field must be at least 1.' }
  return { page: Number(number < BigInt(Number.MAX_SAFE_INTEGER) ? number : Number.MAX_SAFE_INTEGER) }
}

/** The parameters of a query but the page, as the framework writes them into page URLs: nothing, or `name=value&`. */
export function keptQuery(query: PhpArray): string {
  return [...query.values].map(([name, value]) => (name === 'page' ? '' : pairs(escaped(name), value))).join('')
}

/** What is blank counts as no value at all, and is left out. */
function pairs(name: string, value: string | PhpArray): string {
  if (value instanceof PhpArray) {
    return [...value.values].map(([key, inner]) => pairs(`${name}%5B${escaped(key)}%5D`, inner)).join('')
  }
  const text = trimmed(value)
  return text === '' ? '' : `${name}=${escaped(text)}&`
}

/** Each byte is escaped that RFC 3986 does not leave alone. */
function escaped(bytes: string): string {
  return bytes.replace(
    /[^A-Za-z0-9._~-]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}

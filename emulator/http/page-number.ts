/** Page numbers count from 1. */
export type ParsedPage = { readonly page: number } | { readonly fault: string }

/** The largest page number a 64-bit server reads as a number. */
const largestInteger = 2n ** 63n - 1n

/**
 * Reads the `page` parameter: whole numbers above zero, one plus sign and blanks allowed. An absent or blank one is the
 * first page; what becomes of one with a fault is left open (spec 4.2).
 *
 * @param value null where the parameter is a list
 */
export function parsePage(value: string | null | undefined): ParsedPage {
  if (value === undefined || value?.trim() === '') return { page: 1 }
  const [, digits] = /^\s*([+-]?(?:0|[1-9]\d*))\s*$/.exec(value ?? '') ?? []
  const number = digits === undefined ? undefined : BigInt(digits.replace('+', ''))
  if (number === undefined || number > largestInteger) return { fault: 'The page field must be an integer.' }
  if (number < 1n) return { fault: 'The page field must be at least 1.' }
  return { page: Number(number < BigInt(Number.MAX_SAFE_INTEGER) ? number : Number.MAX_SAFE_INTEGER) }
}

/** The parameters of a query but the page, as the framework writes them into page URLs: nothing, or `name=value&`. */
export function keptQuery(query: URLSearchParams): string {
  const kept = new Map([...query].map(([name, value]) => [name, value.trim()]))
  kept.delete('page')
  return [...kept].map(([name, value]) => (value === '' ? '' : `${escaped(name)}=${escaped(value)}&`)).join('')
}

/** All that RFC 3986 reserves is escaped, which is more than the platform does. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** The most characters of a value that a message repeats. */
const longestQuote = 100

/** Quotes an untrusted value in a message: as JSON, shortened, or described if it cannot be written as JSON. */
export function quoted(value: unknown): string {
  const text = asJson(value)
  return text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text
}

function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return Array.isArray(value) ? 'a list that is not JSON' : 'an object that is not JSON'
  }
}

/** As much of a value as a message repeats. */
const longestQuote = 100

/**
 * A value as JSON, to be repeated in a message: what came from outside may be of any length, too deep to be written, or no
 * JSON at all.
 */
export function quoted(value: unknown): string {
  const text = asJson(value)
  return text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text
}

function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return Array.isArray(value) ? 'a list that is no JSON' : 'an object that is no JSON'
  }
}

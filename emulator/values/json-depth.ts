/**
 * The deepest nesting accepted in JSON from outside: V8 parses deeper JSON than it can write. The client has its own
 * scan in src/system/json-depth.ts, with another limit, which also finds truncated JSON.
 */
export const mostLevels = 100

const steps: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1 }

/** Whether a JSON text nests at most this deep. Scans the text without recursion, before it is parsed. */
export function isWithinLevels(text: string, most: number = mostLevels): boolean {
  let level = 0
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at)
    if (letter === '"') at = endOfString(text, at)
    else level += steps[letter] ?? 0
    if (level > most) return false
  }
  return true
}

/** The index of the first quote after `from` that is not escaped; the length of the text if there is none. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text.charAt(at - 1 - slashes) === '\\') slashes += 1
    if (slashes % 2 === 0) return at
  }
  return text.length
}

/** Whether a value can be written as JSON of at most {@link mostLevels}. */
export function isWritable(value: unknown): boolean {
  try {
    const text = JSON.stringify(value)
    return text !== undefined && isWithinLevels(text)
  } catch {
    return false
  }
}

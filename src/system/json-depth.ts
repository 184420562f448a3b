/** Nothing of the service comes near this; JSON of many thousand levels can be read, and not be written again. */
export const DEEPEST_JSON = 500

/** Whether lists and objects lie in one another more than {@link DEEPEST_JSON} deep in a text that is JSON. */
export function isTooDeep(json: string): boolean {
  // Each level takes a bracket at both ends.
  return json.length > 2 * DEEPEST_JSON && nestingOf(json).deepest > DEEPEST_JSON
}

/** Whether a JSON text ends within a string, an array or an object. */
export function isUnfinished(json: string): boolean {
  const { depth, inString } = nestingOf(json)
  return inString || depth > 0
}

function nestingOf(json: string) {
  let [depth, deepest, at] = [0, 0, 0]
  for (; at < json.length; at += 1) {
    const sign = json[at]
    if (sign === '"') at = endOfString(json, at)
    else if (sign === '[' || sign === '{') depth += 1
    else if (sign === ']' || sign === '}') depth -= 1
    deepest = Math.max(deepest, depth)
  }
  return { depth, deepest, inString: at > json.length }
}

/** Where the quote is that ends the string which begins here; the length where none does. */
function endOfString(json: string, begin: number): number {
  let at = begin + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at
}

/** Far more than the service uses; JSON of many thousand levels can be parsed but not written. */
export const DEEPEST_JSON = 500

/** Whether a JSON text nests lists and objects deeper than {@link DEEPEST_JSON}. */
export function isTooDeep(json: string): boolean {
  // Each level takes two brackets.
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

/** The index of the quote that ends the string beginning here; beyond the text if none does. */
function endOfString(json: string, begin: number): number {
  let at = begin + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at
}

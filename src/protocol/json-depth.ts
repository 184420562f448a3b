/** Far more levels than the service uses. V8 parses JSON of many thousand levels, but cannot write it. */
export const DEEPEST_JSON = 500

/** Whether a JSON text nests lists and objects deeper than `most` levels. Does not need to be parsed first. */
export function isTooDeep(json: string, most: number = DEEPEST_JSON): boolean {
  return json.length > most && nestingOf(json).deepest > most
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

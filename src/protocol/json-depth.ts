/** Far more levels than the service uses. V8 parses JSON of many thousand levels, but cannot write it. */
export const DEEPEST_JSON = 500

/** Whether a JSON text nests lists and objects deeper than `most` levels. Does not need to be parsed first. */
export function isTooDeep(json: string, most: number = DEEPEST_JSON): boolean {
  return json.length > most && countOf('[', json) + countOf('{', json) > most && nestingOf(json).deepest > most
}

/** The search is V8's own, which is much faster than a look at each character. */
function countOf(sign: string, text: string): number {
  let count = 0
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) count += 1
  return count
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

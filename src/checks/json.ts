/** The value of a JSON text; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return parseNamedJson(text)
  } catch {
    return undefined
  }
}

/**
 * The same for a file or a body that a message names. Editors of Windows begin a text with a byte order mark, which a parser
 * may ignore (RFC 8259, 8.1).
 * @throws SyntaxError, also for UTF-16 that was read as UTF-8
 */
export function parseNamedJson(text: string): unknown {
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  } catch (cause) {
    throw isUtf16(text) ? new SyntaxError('it is UTF-16 text: save it as UTF-8', { cause }) : cause
  }
}

/** Whether a text that was read as UTF-8 is UTF-16, by its byte order mark or by the NUL beside its first letter. */
export function isUtf16(text: string): boolean {
  return /^\ufffd\ufffd|^.?\0/s.test(text)
}

/** Whether a value is a JSON object; lists are not. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

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

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

import { hash } from 'node:crypto'

/**
 * The variables PHP makes of a query or form. Texts have one character per byte, since PHP assumes no encoding; {@link
 * textOf} decodes UTF-8.
 */
export type PhpValue = string | PhpArray

/** PHP's array: values by key, in order of first assignment. */
export class PhpArray {
  readonly values = new Map<string, PhpValue>()
  /** The highest integer key. */
  #highest: bigint | undefined

  /** @param key undefined appends after the highest integer key; if that is PHP's largest integer, nothing is set */
  set(key: string | undefined, value: PhpValue): void {
    const index = key === undefined ? this.#next() : indexOf(key)
    if (key === undefined && index === undefined) return
    this.values.set(key ?? `${index}`, value)
    if (index !== undefined && (this.#highest === undefined || index > this.#highest)) this.#highest = index
  }

  #next(): bigint | undefined {
    if (this.#highest === maxInteger) return undefined
    return this.#highest === undefined ? 0n : this.#highest + 1n
  }

  /** The array under a key, created if missing. */
  arrayAt(key: string | undefined): PhpArray {
    const found = key === undefined ? undefined : this.values.get(key)
    if (found instanceof PhpArray) return found
    const list = new PhpArray()
    this.set(key, list)
    return list
  }
}

/** PHP's largest integer. */
export const maxInteger = 2n ** 63n - 1n

/** The key as an integer, or undefined if PHP keeps it as text. */
function indexOf(key: string): bigint | undefined {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(key)) return undefined
  const index = BigInt(key)
  return index > maxInteger || index < -maxInteger ? undefined : index
}

/** PHP ignores further variables (`max_input_vars`). */
const maxVariables = 1_000

/** PHP ignores variables nested deeper (`max_input_nesting_level`). */
const maxNesting = 64

/** Longer keys are stored as digests: a form may have a thousand keys of 64 KB. */
const maxKeyLength = 64

/** Cookies with this prefix are bound to a host; PHP turns no other name into one of them. */
const hostPrefix = '__Host-'

/** Parses a query or a URL-encoded form: `name=value&…`. */
export function parseVariables(encoded: string): PhpArray {
  const variables = new PhpArray()
  let count = 0
  for (let from = 0; from < encoded.length && count < maxVariables; ) {
    const mark = encoded.indexOf('&', from)
    const end = mark === -1 ? encoded.length : mark
    if (end > from) {
      const [name, value] = splitPair(encoded.slice(from, end))
      setVariable(variables, decoded(name), decoded(value))
      count += 1
    }
    from = end + 1
  }
  return variables
}

function splitPair(pair: string): readonly [string, string] {
  const at = pair.indexOf('=')
  return at === -1 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)]
}

/** A `%` that escapes nothing stays as it is. */
function decoded(text: string): string {
  if (!/[%+]/.test(text)) return text
  return text
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/**
 * Assigns a variable by its name: leading blanks are dropped, dots and blanks become underscores, `[key]` is a key and
 * `[]` the next integer. A later value replaces an earlier one.
 */
export function setVariable(variables: PhpArray, name: string, value: string): void {
  const { variable, keys } = readName(name)
  if (variable === '') return
  if (keys.length > maxNesting) return void variables.values.delete(variable)
  const path = [variable, ...keys.map(storedKey)]
  const last = path.pop()
  let list = variables
  for (const key of path) list = list.arrayAt(key)
  list.set(last, value)
}

/** Copied, since a slice would keep the whole name in memory. */
function storedKey(key: string | undefined): string | undefined {
  if (key === undefined) return undefined
  return key.length > maxKeyLength ? hash('sha256', key) : Buffer.from(key, 'latin1').toString('latin1')
}

/** A NUL ends the name; leading blanks are dropped. */
function cleanName(name: string): string {
  const [text = ''] = name.split('\0', 1)
  let start = 0
  while (text[start] === ' ') start += 1
  return text.slice(start)
}

/** Splits a name into the variable, empty if the name is invalid, and the keys in brackets, undefined for `[]`. */
export function readName(name: string) {
  const plain = cleanName(name)
  const bracket = plain.indexOf('[')
  const hasKeys = bracket !== -1 && plain.includes(']', bracket)
  // An unclosed bracket is invalid like a dot; one at the beginning makes the name empty.
  const end = hasKeys || bracket === 0 ? bracket : plain.length
  const variable = plain.slice(0, end).replace(/[ .[]/g, '_')
  const isForged = variable.startsWith(hostPrefix) && !plain.startsWith(hostPrefix)
  return { variable: isForged ? '' : variable, keys: hasKeys ? keysOf(plain, bracket) : [] }
}

/** Keys must follow each other without a gap; anything after them is ignored. */
function keysOf(text: string, firstBracket: number): readonly (string | undefined)[] {
  const keys: (string | undefined)[] = []
  for (let at = firstBracket; text[at] === '[' && keys.length <= maxNesting; ) {
    const inside = /[\t-\r ]/.test(text[at + 1] ?? '') ? at + 2 : at + 1
    const end = text.indexOf(']', inside)
    if (end === -1) break
    keys.push(end === inside ? undefined : text.slice(at + 1, end))
    at = end + 1
  }
  return keys
}

/** Decodes bytes as UTF-8. */
export function decodedText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

/** Removes ASCII blanks and NULs at both ends. */
export function trimmed(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start += 1
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1
  return text.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0 || (code >= 0x09 && code <= 0x0d)
}

/** Changes only a to z, as PHP does; other letters could become several letters, or not fit into a header. */
export function upperCased(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())
}

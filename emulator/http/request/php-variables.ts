import { hash } from 'node:crypto'

/**
 * What PHP makes of the names and values of a query or a form. A text has one character per byte, since PHP takes no
 * character set for granted; {@link textOf} reads it as UTF-8.
 */
export type PhpValue = string | PhpArray

/** Values by key, in the order in which their keys came first. */
export class PhpArray {
  readonly values = new Map<string, PhpValue>()
  /** The highest number among the keys. */
  #highest: bigint | undefined

  /** @param key undefined for the number after the highest there is; after the last there can be, nothing is set */
  set(key: string | undefined, value: PhpValue): void {
    const index = key === undefined ? this.#next() : indexOf(key)
    if (key === undefined && index === undefined) return
    this.values.set(key ?? `${index}`, value)
    if (index !== undefined && (this.#highest === undefined || index > this.#highest)) this.#highest = index
  }

  #next(): bigint | undefined {
    if (this.#highest === largestInteger) return undefined
    return this.#highest === undefined ? 0n : this.#highest + 1n
  }

  /** The list under a key; one is put there where there is none. */
  listAt(key: string | undefined): PhpArray {
    const found = key === undefined ? undefined : this.values.get(key)
    if (found instanceof PhpArray) return found
    const list = new PhpArray()
    this.set(key, list)
    return list
  }
}

/** The largest of PHP's whole numbers. */
export const largestInteger = 2n ** 63n - 1n

/** The number that a key is; text where it is written in any other way. */
function indexOf(key: string): bigint | undefined {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(key)) return undefined
  const index = BigInt(key)
  return index > largestInteger || index < -largestInteger ? undefined : index
}

/** PHP drops what comes after as many variables (`max_input_vars`). */
const mostVariables = 1_000

/** PHP drops a variable that is nested deeper (`max_input_nesting_level`). */
const deepestNesting = 64

/** A longer key is held as its digest: a form may have a thousand of 64 KB. */
const longestKey = 64

/** Cookies of this name are a host's own: PHP lets no other name become one of them. */
const hostPrefix = '__Host-'

/** Reads a query, or a form in its encoding: `name=value&…`. */
export function parseVariables(encoded: string): PhpArray {
  const variables = new PhpArray()
  let count = 0
  for (let from = 0; from < encoded.length && count < mostVariables; ) {
    const mark = encoded.indexOf('&', from)
    const end = mark === -1 ? encoded.length : mark
    if (end > from) {
      const [name, value] = halves(encoded.slice(from, end))
      setVariable(variables, decoded(name), decoded(value))
      count += 1
    }
    from = end + 1
  }
  return variables
}

function halves(pair: string): readonly [string, string] {
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
 * Sets what a name says: blanks before it do not count, dots and blanks in it become underscores, and what stands in
 * brackets is a key, or the next number where nothing stands there. A later value replaces an earlier one.
 */
export function setVariable(variables: PhpArray, name: string, value: string): void {
  const { variable, keys } = readName(name)
  if (variable === '') return
  if (keys.length > deepestNesting) return void variables.values.delete(variable)
  const path = [variable, ...keys.map(heldKey)]
  const last = path.pop()
  let list = variables
  for (const key of path) list = list.listAt(key)
  list.set(last, value)
}

/** A copy of a key, for a part of a name keeps all of it. */
function heldKey(key: string | undefined): string | undefined {
  if (key === undefined) return undefined
  return key.length > longestKey ? hash('sha256', key) : Buffer.from(key, 'latin1').toString('latin1')
}

/** PHP's strings end at a NUL here. */
function plainName(name: string): string {
  const [text = ''] = name.split('\0', 1)
  let start = 0
  while (text[start] === ' ') start += 1
  return text.slice(start)
}

/** What a name says. */
export interface VariableName {
  /** Empty where the name is none. */
  readonly variable: string
  /** Those in brackets; undefined for the next number. */
  readonly keys: readonly (string | undefined)[]
}

export function readName(name: string): VariableName {
  const plain = plainName(name)
  const bracket = plain.indexOf('[')
  const hasKeys = bracket !== -1 && plain.includes(']', bracket)
  // A bracket that is never closed is one more character that a variable cannot have; one that begins a name ends it.
  const end = hasKeys || bracket === 0 ? bracket : plain.length
  const variable = plain.slice(0, end).replace(/[ .[]/g, '_')
  const isForged = variable.startsWith(hostPrefix) && !plain.startsWith(hostPrefix)
  return { variable: isForged ? '' : variable, keys: hasKeys ? keysOf(plain, bracket) : [] }
}

/** Keys follow each other without a gap; what comes after the last is passed over. */
function keysOf(text: string, firstBracket: number): readonly (string | undefined)[] {
  const keys: (string | undefined)[] = []
  for (let at = firstBracket; text[at] === '[' && keys.length <= deepestNesting; ) {
    const inside = /[\t-\r ]/.test(text[at + 1] ?? '') ? at + 2 : at + 1
    const end = text.indexOf(']', inside)
    if (end === -1) break
    keys.push(end === inside ? undefined : text.slice(at + 1, end))
    at = end + 1
  }
  return keys
}

/** A text of bytes, read as UTF-8. */
export function textOf(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

/** Without the blanks of ASCII, and the NULs, at both ends. */
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

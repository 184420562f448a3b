import { isOfType, type PartSink, readMultipart } from './multipart.ts'

/**
 * The variables PHP makes of a query or form. Texts have one character per byte, since PHP assumes no encoding; {@link
 * decodedText} decodes UTF-8.
 */
export type PhpValue = string | PhpArray

/** PHP's largest integer. */
export const maxInteger = 2n ** 63n - 1n

/** PHP's array: values by key, in order of first assignment. */
export class PhpArray {
  readonly values = new Map<string, PhpValue>()
  /** The highest integer key. */
  #highest: bigint | undefined

  /** @param key undefined appends after the highest integer key; if that is PHP's largest integer, nothing is set */
  set(key: string | undefined, value: PhpValue): void {
    if (key === undefined && this.#highest === maxInteger) return
    const index = key === undefined ? (this.#highest ?? -1n) + 1n : indexOf(key)
    this.values.set(key ?? `${index}`, value)
    if (index !== undefined && (this.#highest === undefined || index > this.#highest)) this.#highest = index
  }

  /** The array under a key, created if missing. */
  arrayAt(key: string | undefined): PhpArray {
    const found = key === undefined ? undefined : this.values.get(key)
    if (found instanceof PhpArray) return found
    const list = new PhpArray()
    this.set(key, list)
    return list
  }

  /** The text of a variable, trimmed and decoded; null for a list (`name[]=`), undefined if absent. */
  text(name: string): string | null | undefined {
    const value = this.values.get(name)
    if (value === undefined) return undefined
    return value instanceof PhpArray ? null : decodedText(trimmed(value))
  }
}

/** The key as an integer, or undefined if PHP keeps it as text. */
function indexOf(key: string): bigint | undefined {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(key)) return undefined
  const index = BigInt(key)
  return index > maxInteger || index < -maxInteger ? undefined : index
}

/** PHP ignores further variables (`max_input_vars`), and those nested deeper (`max_input_nesting_level`). */
const [maxVariables, maxNesting] = [1_000, 64]

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
      const pair = encoded.slice(from, end)
      const equals = pair.indexOf('=')
      const name = equals === -1 ? pair : pair.slice(0, equals)
      setVariable(variables, percentDecoded(name), equals === -1 ? '' : percentDecoded(pair.slice(equals + 1)))
      count += 1
    }
    from = end + 1
  }
  return variables
}

/** A `%` that escapes nothing stays as it is. */
function percentDecoded(text: string): string {
  if (!/[%+]/.test(text)) return text
  return text
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/**
 * Assigns a variable by its name: leading blanks are dropped, dots and blanks become underscores, `[key]` is a key and
 * `[]` the next integer. A later value replaces an earlier one.
 */
function setVariable(variables: PhpArray, name: string, value: string): void {
  const { variable, keys } = readName(name)
  if (variable === '') return
  if (keys.length > maxNesting) return void variables.values.delete(variable)
  const path = [variable, ...keys]
  const last = path.pop()
  let list = variables
  for (const key of path) list = list.arrayAt(key)
  list.set(last, value)
}

/** Splits a name into the variable, empty if the name is invalid, and the keys in brackets, undefined for `[]`. */
function readName(name: string) {
  // A NUL ends the name; leading blanks are dropped.
  const plain = (name.split('\0', 1)[0] ?? '').replace(/^ +/, '')
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
  return /[\u0080-\uffff]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes
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

/** The value of a field that should be a file: the file as its receiver made it, or what was there instead. */
export type FileField<File> =
  | File
  | { readonly kind: 'missing' }
  /** Text, a number or a list; `length` is the number of characters or values. */
  | { readonly kind: 'not-a-file'; readonly length: number }
  /** The request ended before the file did. */
  | { readonly kind: 'incomplete' }

/** Takes the files of a form. */
export interface FileReceiver<File> {
  receive(name: string): {
    write(chunk: Uint8Array): Promise<void>
    finish(): Promise<File>
    discard(): Promise<void>
  }
  /** Gives up a file that another one has replaced. */
  discard(file: FileField<File>): Promise<void>
}

/** The content of a form. */
export interface Form<File> {
  readonly file: FileField<File>
  /** The method that the form names, in any case: HTML forms can send only GET and POST. */
  readonly method: string | undefined
}

/** The field of a form, or of a query, that names another method than the request's. */
export const overrideField = '_method'

/** PHP's field that limits the size of the files after it. */
const sizeField = 'max_file_size'

/** Longer texts are read to their end, but only this much is kept. */
const maxTextBytes = 1_048_576

interface SentForm {
  readonly contentType: string
  readonly body: AsyncIterable<Uint8Array>
  /** A value missing from the body is taken from here, as the framework does. */
  readonly query?: PhpArray | undefined
}

/** Whether a body is a form, of which PHP reads the fields. */
export function isForm(contentType: string): boolean {
  return isOfType(contentType, 'multipart/form-data') || isOfType(contentType, 'application/x-www-form-urlencoded')
}

/** Reads a body of any kind for a field that should have a file; the file's bytes are received as they arrive. */
export async function readForm<File>(
  field: string,
  { contentType, body, query = new PhpArray() }: SentForm,
  files: FileReceiver<File>,
): Promise<Form<File>> {
  if (isOfType(contentType, 'multipart/form-data')) {
    return new UploadForm(field, query, files).read(contentType, body)
  }
  if (isOfType(contentType, 'application/x-www-form-urlencoded')) {
    const variables = parseVariables(await receiveText(body, 'latin1'))
    return { file: fromVariables(field, variables, query), method: variables.text(overrideField) ?? undefined }
  }
  const text = await receiveText(body, 'utf8')
  const value = /[/+]json/.test(contentType) ? fromJson(field, text) : undefined
  return { file: value ?? fromVariables(field, query), method: undefined }
}

/** Reads what PHP puts into `$_FILES` and `$_POST`. */
class UploadForm<File> {
  readonly #field: string
  readonly #query: PhpArray
  readonly #files: FileReceiver<File>
  readonly #texts = new PhpArray()
  #file: FileField<File> = { kind: 'missing' }
  #isList = false
  #maxBytes = Number.POSITIVE_INFINITY

  constructor(field: string, query: PhpArray, files: FileReceiver<File>) {
    this.#field = field
    this.#query = query
    this.#files = files
  }

  async read(contentType: string, body: AsyncIterable<Uint8Array>): Promise<Form<File>> {
    try {
      await readMultipart(contentType, body, {
        textLimit: (name) => (this.#isKept(name) ? maxTextBytes : 0),
        text: (name, value) => this.#takeText(name, value),
        file: (name, fileName) => this.#takeFile(name, fileName),
      })
    } catch (error) {
      await this.#files.discard(this.#file)
      throw error
    }
    // A file takes precedence over text.
    if (isMissing(this.#file)) this.#file = fromVariables(this.#field, this.#texts, this.#query)
    return { file: this.#file, method: this.#texts.text(overrideField) ?? undefined }
  }

  #isLookedAt(variable: string): boolean {
    return variable === this.#field || variable === overrideField
  }

  /** Of a list only its existence matters. */
  #isKept(name: string): boolean {
    const { variable, keys } = readName(name)
    return (this.#isLookedAt(variable) && keys.length === 0) || name.toLowerCase() === sizeField
  }

  #takeText(name: string, value: string): void {
    if (name.toLowerCase() === sizeField) this.#maxBytes = Number.parseInt(value, 10) || Number.POSITIVE_INFINITY
    if (this.#isLookedAt(readName(name).variable)) setVariable(this.#texts, name, value)
  }

  async #takeFile(name: string, fileName: string): Promise<PartSink | undefined> {
    const { variable, keys } = readName(name)
    if (variable !== this.#field) return undefined
    const isInList = keys.length > 0
    // An empty file input arrives as a part with an empty file name: it counts as no file, and is ignored in a list.
    if (fileName === '' && isInList && this.#isList) return undefined
    this.#isList = fileName !== '' && isInList
    await this.#replace(this.#isList ? { kind: 'not-a-file', length: 1 } : { kind: 'missing' })
    return fileName === '' || isInList ? undefined : this.#sink(fileName)
  }

  /** The last of several values counts; the file before it is discarded at once. */
  async #replace(next: FileField<File>): Promise<void> {
    const earlier = this.#file
    this.#file = next
    await this.#files.discard(earlier)
  }

  /** Receives a file and makes it the field's value once it is complete. */
  #sink(fileName: string): PartSink {
    const maxBytes = this.#maxBytes
    const intake = this.#files.receive(decodedText(fileName))
    let sizeBytes = 0
    const abort = async () => {
      await intake.discard()
      await this.#replace({ kind: 'incomplete' })
    }
    return {
      async write(chunk) {
        sizeBytes += chunk.length
        if (sizeBytes <= maxBytes) await intake.write(chunk)
      },
      finish: async () => (sizeBytes > maxBytes ? abort() : this.#replace(await intake.finish())),
      abort,
    }
  }
}

function isMissing(file: unknown): boolean {
  return Object(file).kind === 'missing'
}

function fromVariables(field: string, variables: PhpArray, fallback?: PhpArray): FileField<never> {
  const value = variables.values.get(field) ?? fallback?.values.get(field)
  if (value === undefined) return { kind: 'missing' }
  return value instanceof PhpArray ? { kind: 'not-a-file', length: value.values.size } : fromText(decodedText(value))
}

/** @returns undefined if the field is missing */
function fromJson(field: string, body: string): FileField<never> | undefined {
  try {
    const value: unknown = JSON.parse(body)?.[field]
    if (value === undefined) return undefined
    if (value === null || typeof value === 'string') return fromText(value ?? '')
    if (typeof value !== 'object') return { kind: 'not-a-file', length: value === false ? 0 : String(value).length }
    const { length } = Object.keys(value)
    return length === 0 ? { kind: 'missing' } : { kind: 'not-a-file', length }
  } catch {
    return undefined
  }
}

/** Blank text counts as missing. */
function fromText(value: string): FileField<never> {
  let length = 0
  for (const _ of trimmed(value)) length += 1
  return length === 0 ? { kind: 'missing' } : { kind: 'not-a-file', length }
}

async function receiveText(body: AsyncIterable<Uint8Array>, encoding: 'utf8' | 'latin1'): Promise<string> {
  const chunks: Uint8Array[] = []
  let kept = 0
  for await (const chunk of body) {
    if (kept >= maxTextBytes) continue
    chunks.push(chunk)
    kept += chunk.length
  }
  return Buffer.concat(chunks).toString(encoding, 0, maxTextBytes)
}

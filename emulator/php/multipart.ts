/** Receives the bytes of one part. */
export interface PartSink {
  write(chunk: Uint8Array): Promise<void>
  finish(): Promise<void>
  /** The part ended early. */
  abort(): Promise<void>
}

/** Names and texts have one character per byte. */
export interface MultipartVisitor {
  /** How many bytes of this field's text to keep. */
  textLimit(name: string): number
  /** Called for a part without a file name, complete or not. */
  text(name: string, value: string): void
  /** Called for a part with a file name, which may be empty; without a sink its bytes are discarded. */
  file(name: string, fileName: string): Promise<PartSink | undefined>
  /** Called for each file beyond the most of a form, whose bytes are discarded. */
  tooMany?(): void
}

/** PHP's limits per form: `max_file_uploads`, `max_input_vars`, and both together. */
const [mostFiles, mostTexts, mostParts] = [20, 1_000, 1_020]

/** PHP refuses longer boundaries. */
const maxBoundaryLength = 5_118

/** Longer than any boundary or useful header. */
const maxLineBytes = 65_536

/** Compares a content type without its parameters. */
export function isOfType(contentType: string, type: string): boolean {
  const end = contentType.search(/[;, ]/)
  return (end === -1 ? contentType : contentType.slice(0, end)).toLowerCase() === type
}

/**
 * Reads a multipart body as it arrives, as PHP does. Existing parsers follow RFC 7578: they reject lines that end in LF
 * alone, stop at the closing boundary and read `filename*`. A body that ends early ends the form and aborts its current
 * file; so does a part whose header has no name. Without a boundary the form is empty.
 *
 * @throws errors of the body or a sink, after an open sink has been aborted and the body closed
 */
export async function readMultipart(
  contentType: string,
  body: AsyncIterable<Uint8Array>,
  visitor: MultipartVisitor,
): Promise<void> {
  const boundary = boundaryOf(contentType)
  const lines = new FormReader(body, `--${boundary ?? ''}`)
  try {
    if (boundary !== undefined) await readParts(lines, visitor)
    await lines.drain()
  } finally {
    await lines.close()
  }
}

async function readParts(form: FormReader, visitor: MultipartVisitor): Promise<void> {
  const left = { files: mostFiles, texts: mostTexts }
  for (let parts = mostParts; parts > 0; parts -= 1) {
    if (!(await form.skipToPart()) || !(await readPart(form, visitor, left))) return
  }
}

/** @returns false if the form ends here */
async function readPart(form: FormReader, visitor: MultipartVisitor, left: { files: number; texts: number }) {
  const header = await readHeader(form)
  if (header === undefined) return true
  const { name, fileName } = readDisposition(header)
  if (fileName === undefined) {
    if (name === undefined) return false
    const value = await readText(form, visitor.textLimit(name))
    if (left.texts > 0) visitor.text(name, value)
    left.texts -= 1
    return true
  }
  if (left.files === 0) visitor.tooMany?.()
  if (name === undefined || !hasBalancedBrackets(name) || left.files === 0) return true
  if (fileName !== '') left.files -= 1
  await readFile(form, await visitor.file(name, fileName))
  return true
}

/**
 * The first Content-Disposition of a part. A line that begins with a blank or has no colon continues the header before
 * it.
 * @returns undefined if the part has none
 */
async function readHeader(form: FormReader): Promise<string | undefined> {
  let disposition: string | undefined
  let goesOn = false
  for (let line = await form.line(); line !== undefined && line !== ''; line = await form.line()) {
    const colon = isBlank(line[0]) ? -1 : line.indexOf(':')
    if (colon === -1) {
      if (goesOn && disposition !== undefined && disposition.length < maxLineBytes) disposition += line
      continue
    }
    goesOn = disposition === undefined && line.slice(0, colon).toLowerCase() === 'content-disposition'
    if (goesOn) disposition = line.slice(colon + 1)
  }
  return disposition
}

async function readText(form: FormReader, limit: number): Promise<string> {
  const pieces: Uint8Array[] = []
  let left = limit
  await form.content(async (bytes) => {
    if (left > 0) pieces.push(bytes.subarray(0, left))
    left -= bytes.length
  })
  return Buffer.concat(pieces).toString('latin1')
}

async function readFile(form: FormReader, sink: PartSink | undefined): Promise<void> {
  try {
    const isWhole = await form.content(async (bytes) => sink?.write(bytes))
    await (isWhole ? sink?.finish() : sink?.abort())
  } catch (error) {
    await sink?.abort()
    throw error
  }
}

/** PHP ignores files whose names have unbalanced brackets. */
function hasBalancedBrackets(name: string): boolean {
  let open = 0
  for (let at = 0; at < name.length; at += 1) {
    if (name[at] === '[') open += 1
    if (name[at] !== ']') continue
    open -= 1
    if (open < 0 || (at + 1 < name.length && name[at + 1] !== '[')) return false
  }
  return open === 0
}

/** The text after the first equals sign, up to a comma or semicolon, or between double quotes. */
function boundaryOf(contentType: string): string | undefined {
  if (!isOfType(contentType, 'multipart/form-data')) return undefined
  const word = contentType.toLowerCase().indexOf('boundary')
  const equals = word === -1 ? -1 : contentType.indexOf('=', word)
  if (equals === -1) return undefined
  const value = contentType.slice(equals + 1)
  const boundary = value.startsWith('"') ? quoted(value) : value.split(/[,;]/, 1)[0]
  return boundary !== undefined && boundary.length <= maxBoundaryLength ? boundary : undefined
}

function quoted(value: string): string | undefined {
  const end = value.indexOf('"', 1)
  return end === -1 ? undefined : value.slice(1, end)
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
const nothing: Buffer = Buffer.alloc(0)

/** A multipart body, piece by piece: at most one line or a possible delimiter is in memory. */
class FormReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #boundary: string
  readonly #delimiter: Buffer
  #buffer = nothing

  /** @param boundary the text of the lines between parts, one character per byte */
  constructor(body: AsyncIterable<Uint8Array>, boundary: string) {
    this.#chunks = body[Symbol.asyncIterator]()
    this.#boundary = boundary
    this.#delimiter = Buffer.from(`\n${boundary}`, 'latin1')
  }

  /** @returns undefined at the end */
  async #next(): Promise<Buffer | undefined> {
    const { done, value } = await this.#chunks.next()
    return done === true ? undefined : Buffer.from(value.buffer, value.byteOffset, value.length)
  }

  /** Lines before a part are ignored, including those of a skipped part. */
  async skipToPart(): Promise<boolean> {
    for (let line = await this.line(); line !== undefined; line = await this.line()) {
      if (line === this.#boundary) return true
    }
    return false
  }

  /** The next line without its break, cut after 64 KiB; undefined if no complete line is left. */
  async line(): Promise<string | undefined> {
    const pieces: Buffer[] = []
    let room = maxLineBytes
    for (;;) {
      const end = this.#buffer.indexOf(lineFeed)
      const piece = this.#buffer.subarray(0, end === -1 ? room : Math.min(end, room))
      // Copied, since a slice would keep its whole chunk in memory.
      if (piece.length > 0) pieces.push(Buffer.from(piece))
      room -= piece.length
      if (end !== -1) {
        this.#buffer = this.#buffer.subarray(end + 1)
        const line = Buffer.concat(pieces).toString('latin1')
        return line.endsWith('\r') ? line.slice(0, -1) : line
      }
      const chunk = await this.#next()
      if (chunk === undefined) return undefined
      this.#buffer = chunk
    }
  }

  /**
   * Passes everything before the next delimiter to `take`; the line break before a delimiter is no content.
   * @returns false if the body ended without a delimiter
   */
  async content(take: (bytes: Uint8Array) => Promise<void>): Promise<boolean> {
    for (let chunk: Buffer | undefined = nothing; chunk !== undefined; chunk = await this.#next()) {
      const buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk])
      const found = buffer.indexOf(this.#delimiter)
      const end = found === -1 ? this.#possibleStart(buffer) : found
      const hasReturn = end < buffer.length && end > 0 && buffer[end - 1] === carriageReturn
      const bytes = buffer.subarray(0, hasReturn ? end - 1 : end)
      this.#buffer = buffer.subarray(found === -1 ? bytes.length : found)
      if (bytes.length > 0) await take(bytes)
      if (found !== -1) return true
    }
    if (this.#buffer.length > 0) await take(this.#buffer)
    this.#buffer = nothing
    return false
  }

  /** Where the last bytes may begin a delimiter or the line break before it. */
  #possibleStart(bytes: Buffer): number {
    if (bytes[bytes.length - 1] === carriageReturn) return bytes.length - 1
    const feed = bytes.lastIndexOf(lineFeed)
    const tail = bytes.subarray(feed === -1 ? bytes.length : feed)
    return tail.equals(this.#delimiter.subarray(0, tail.length)) ? bytes.length - tail.length : bytes.length
  }

  /** Reads and discards the rest. */
  async drain(): Promise<void> {
    while ((await this.#next()) !== undefined) this.#buffer = nothing
  }

  /** Stops reading; the source learns that nothing more is needed. */
  async close(): Promise<void> {
    await this.#chunks.return?.()
  }
}

/**
 * Up to a sign outside quotes; inside, a backslash escapes the quote. A quote that is not closed goes to the end. Nothing
 * required may follow: the expression would try every other way to divide the text.
 */
const before = (sign: string) => `(?:"(?:\\\\"|[^"])*"?|'(?:\\\\'|[^'])*'?|[^"'${sign}])*`
const parameter = new RegExp(`[\\t-\\r ]*(${before(';')});*`, 'gy')
const beforeEquals = new RegExp(`^${before('=')}`)

/**
 * Reads the names in a part's Content-Disposition, one character per byte, as PHP does: text before the first `name` is
 * ignored, quotes are double, single or missing, the last of several values counts, and only `filename` is a file name,
 * not `filename*`.
 */
function readDisposition(header: string) {
  // A NUL ends PHP's strings.
  const [text = ''] = header.split('\0', 1)
  const values = new Map<string, string>()
  for (const [all, word = ''] of text.matchAll(parameter)) {
    if (all === '') break
    const [key = ''] = beforeEquals.exec(word) ?? []
    const value = word.slice(key.length)
    if (value !== '') values.set(key.toLowerCase(), unquoted(value.replace(/^=+[\t-\r ]*/, '')))
  }
  return { name: values.get('name'), fileName: values.get('filename') }
}

/** A value up to its closing quote, or its first blank if unquoted; a backslash escapes a quote. */
function unquoted(value: string): string {
  if (value.startsWith('"')) return (/^"((?:\\[\\"]|[^"])*)/.exec(value)?.[1] ?? '').replace(/\\([\\"])/g, '$1')
  if (value.startsWith("'")) return (/^'((?:\\[\\']|[^'])*)/.exec(value)?.[1] ?? '').replace(/\\([\\'])/g, '$1')
  return (/^(?:\\\\|[^\t-\r ])*/.exec(value)?.[0] ?? '').replaceAll('\\\\', '\\')
}

function isBlank(character: string | undefined): boolean {
  return character !== undefined && /[\t-\r ]/.test(character)
}

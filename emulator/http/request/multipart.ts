import { readDisposition } from './form-disposition.ts'
import { createFormReader, type FormReader, maxLineBytes } from './form-reader.ts'

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
const limits = { files: 20, texts: 1_000, parts: 1_020 }

/** PHP refuses longer boundaries. */
const maxBoundaryLength = 5_118

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
  const reader = createFormReader(body, `--${boundary ?? ''}`)
  const left = { ...limits }
  try {
    if (boundary !== undefined) {
      while (left.parts > 0 && (await skipToPart(reader, `--${boundary}`)) && (await readPart(reader, visitor, left))) {
        left.parts -= 1
      }
    }
    await reader.drain()
  } finally {
    await reader.close()
  }
}

/** Lines before a part are ignored, including those of a skipped part. */
async function skipToPart(reader: FormReader, boundary: string): Promise<boolean> {
  for (let line = await reader.line(); line !== undefined; line = await reader.line()) {
    if (line === boundary) return true
  }
  return false
}

/** @returns false if the form ends here */
async function readPart(
  reader: FormReader,
  visitor: MultipartVisitor,
  left: { files: number; texts: number },
): Promise<boolean> {
  const header = await readHeader(reader)
  if (header === undefined) return true
  const { name, fileName } = readDisposition(header)
  if (fileName === undefined) {
    if (name === undefined) return false
    const value = await readText(reader, visitor.textLimit(name))
    if (left.texts > 0) visitor.text(name, value)
    left.texts -= 1
    return true
  }
  if (left.files === 0) visitor.tooMany?.()
  if (name === undefined || !hasBalancedBrackets(name) || left.files === 0) return true
  if (fileName !== '') left.files -= 1
  await readFile(reader, await visitor.file(name, fileName))
  return true
}

/**
 * The first Content-Disposition of a part. A line that begins with a blank or has no colon continues the header before
 * it.
 * @returns undefined if the part has none
 */
async function readHeader(reader: FormReader): Promise<string | undefined> {
  let disposition: string | undefined
  let goesOn = false
  for (let line = await reader.line(); line !== undefined && line !== ''; line = await reader.line()) {
    const colon = /^[\t-\r ]/.test(line) ? -1 : line.indexOf(':')
    if (colon === -1) {
      if (goesOn && disposition !== undefined && disposition.length < maxLineBytes) disposition += line
      continue
    }
    goesOn = disposition === undefined && line.slice(0, colon).toLowerCase() === 'content-disposition'
    if (goesOn) disposition = line.slice(colon + 1)
  }
  return disposition
}

async function readText(reader: FormReader, limit: number): Promise<string> {
  const pieces: Uint8Array[] = []
  let left = limit
  await reader.content(async (bytes) => {
    if (left > 0) pieces.push(bytes.subarray(0, left))
    left -= bytes.length
  })
  return Buffer.concat(pieces).toString('latin1')
}

async function readFile(reader: FormReader, sink: PartSink = discarding): Promise<void> {
  let isWhole = false
  try {
    isWhole = await reader.content(sink.write)
  } catch (error) {
    await sink.abort()
    throw error
  }
  if (isWhole) await sink.finish()
  else await sink.abort()
}

const nothing = async () => {}

const discarding: PartSink = { write: nothing, finish: nothing, abort: nothing }

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

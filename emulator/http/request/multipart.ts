import { readDisposition } from './form-disposition.ts'
import { createFormReader, type FormReader, longestLineBytes } from './form-reader.ts'

/** Takes one part's bytes. */
export interface PartSink {
  write(chunk: Uint8Array): Promise<void>
  /** The part is complete. */
  finish(): Promise<void>
  /** The part will not be complete. */
  cut(): Promise<void>
}

/** Names and texts have a character per byte. */
export interface MultipartVisitor {
  /** How many bytes of the text of this name are worth holding. */
  textLimit(name: string): number
  /** A part without a file name, complete or not. */
  text(name: string, value: string): void
  /** A part with a file name, which may be empty; its bytes go to the sink, or nowhere. */
  file(name: string, fileName: string): Promise<PartSink | undefined>
}

/** What PHP takes of one form: `max_file_uploads`, and that and `max_input_vars` together. */
const limits = { files: 20, texts: 1_000, parts: 1_020 }

/** Longer boundaries are refused. */
const longestBoundary = 5_118

/** Whether a content type, with or without parameters, is this one. */
export function isOfType(contentType: string, type: string): boolean {
  const end = contentType.search(/[;, ]/)
  return (end === -1 ? contentType : contentType.slice(0, end)).toLowerCase() === type
}

/**
 * Reads a multipart body as it arrives, as PHP does. The parsers there are hold to RFC 7578, and can be brought neither
 * to take lines that end in LF alone, nor to go on after the closing boundary, nor to leave `filename*` unread. A body
 * that ends too early ends the form, and cuts the file it was in; so does a part whose header has no name. A content
 * type without a boundary makes an empty form.
 *
 * @throws what the body or a sink throws, once an open sink has been cut and the body let go
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
      while (left.parts > 0 && (await toPart(reader, `--${boundary}`)) && (await readPart(reader, visitor, left))) {
        left.parts -= 1
      }
    }
    await reader.rest()
  } finally {
    await reader.close()
  }
}

/** The lines before a part do not matter, such as those of a part that was passed over. */
async function toPart(reader: FormReader, boundary: string): Promise<boolean> {
  for (let line = await reader.line(); line !== undefined; line = await reader.line()) {
    if (line === boundary) return true
  }
  return false
}

/** @returns false where the form ends here */
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
  if (name === undefined || !hasSoundBrackets(name) || left.files === 0) return true
  if (fileName !== '') left.files -= 1
  await readFile(reader, await visitor.file(name, fileName))
  return true
}

/**
 * The first Content-Disposition of a part. A line that begins with a blank, or has no colon, goes on with the header
 * before it.
 * @returns undefined where there is none
 */
async function readHeader(reader: FormReader): Promise<string | undefined> {
  let disposition: string | undefined
  let goesOn = false
  for (let line = await reader.line(); line !== undefined && line !== ''; line = await reader.line()) {
    const colon = /^[\t-\r ]/.test(line) ? -1 : line.indexOf(':')
    if (colon === -1) {
      if (goesOn && disposition !== undefined && disposition.length < longestLineBytes) disposition += line
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
    await sink.cut()
    throw error
  }
  if (isWhole) await sink.finish()
  else await sink.cut()
}

const nothing = async () => {}

const discarding: PartSink = { write: nothing, finish: nothing, cut: nothing }

/** Files under names whose brackets do not match are passed over. */
function hasSoundBrackets(name: string): boolean {
  let open = 0
  for (let at = 0; at < name.length; at += 1) {
    if (name[at] === '[') open += 1
    if (name[at] !== ']') continue
    open -= 1
    if (open < 0 || (at + 1 < name.length && name[at + 1] !== '[')) return false
  }
  return open === 0
}

/** What follows the first equals sign after the word, up to a comma or a semicolon, or between double quotes. */
function boundaryOf(contentType: string): string | undefined {
  if (!isOfType(contentType, 'multipart/form-data')) return undefined
  const word = contentType.toLowerCase().indexOf('boundary')
  const equals = word === -1 ? -1 : contentType.indexOf('=', word)
  if (equals === -1) return undefined
  const value = contentType.slice(equals + 1)
  const boundary = value.startsWith('"') ? quoted(value) : value.split(/[,;]/, 1)[0]
  return boundary !== undefined && boundary.length <= longestBoundary ? boundary : undefined
}

function quoted(value: string): string | undefined {
  const end = value.indexOf('"', 1)
  return end === -1 ? undefined : value.slice(1, end)
}

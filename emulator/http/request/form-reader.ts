/** Reads a multipart body piece by piece, holding no more of it than a line or what may begin a delimiter. */
export interface FormReader {
  /** A line without its break, cut after {@link longestLineBytes}; undefined where no more line is complete. */
  line(): Promise<string | undefined>
  /**
   * Hands over what comes before the next delimiter.
   * @returns false where the body ended without one
   */
  content(take: (bytes: Uint8Array) => Promise<void>): Promise<boolean>
  /** Reads what is left, and forgets it. */
  rest(): Promise<void>
  /** Lets the body go, read or not: its source hears that no more of it is asked for. */
  close(): Promise<void>
}

/** No boundary and no header of use is longer. */
export const longestLineBytes = 65_536

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** @param boundary what stands on the lines between the parts, a character per byte */
export function createFormReader(body: AsyncIterable<Uint8Array>, boundary: string): FormReader {
  const chunks = body[Symbol.asyncIterator]()
  const delimiter = Buffer.from(`\n${boundary}`, 'latin1')
  let buffer = nothing

  /** @returns undefined at the end */
  const next = async (): Promise<Buffer | undefined> => {
    const { done, value } = await chunks.next()
    return done === true ? undefined : Buffer.from(value.buffer, value.byteOffset, value.length)
  }

  /** @returns what a line has before its end, or all there is; within the room that is left for it */
  const linePiece = (end: number, room: number) => buffer.subarray(0, end === -1 ? room : Math.min(end, room))

  return {
    async line() {
      const pieces: Buffer[] = []
      let room = longestLineBytes
      for (;;) {
        const end = buffer.indexOf(lineFeed)
        const piece = linePiece(end, room)
        // A copy, for a piece of a chunk, however short, would keep all of it.
        if (piece.length > 0) pieces.push(Buffer.from(piece))
        room -= piece.length
        if (end !== -1) {
          buffer = buffer.subarray(end + 1)
          return withoutReturn(Buffer.concat(pieces).toString('latin1'))
        }
        const chunk = await next()
        if (chunk === undefined) return undefined
        buffer = chunk
      }
    },

    async content(take) {
      for (let chunk: Buffer | undefined = nothing; chunk !== undefined; chunk = await next()) {
        const { bytes, held, isEnd } = split(buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk]), delimiter)
        buffer = held
        if (bytes.length > 0) await take(bytes)
        if (isEnd) return true
      }
      if (buffer.length > 0) await take(buffer)
      buffer = nothing
      return false
    },

    async rest() {
      while ((await next()) !== undefined) buffer = nothing
    },

    async close() {
      await chunks.return?.()
    },
  }
}

const nothing: Buffer = Buffer.alloc(0)

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

interface Split {
  /** What surely is content. */
  readonly bytes: Buffer
  /** What is not, or may not be. */
  readonly held: Buffer
  /** Whether a whole delimiter is held. */
  readonly isEnd: boolean
}

/** The line break before a delimiter is no content. */
function split(buffer: Buffer, delimiter: Buffer): Split {
  const found = buffer.indexOf(delimiter)
  const end = found === -1 ? beginOf(delimiter, buffer) : found
  const isLong = end < buffer.length && end > 0 && buffer[end - 1] === carriageReturn
  const bytes = buffer.subarray(0, isLong ? end - 1 : end)
  return { bytes, held: buffer.subarray(found === -1 ? bytes.length : found), isEnd: found !== -1 }
}

/** Where the end of some bytes may be the beginning of a delimiter, or of the line break that belongs to it. */
function beginOf(delimiter: Buffer, bytes: Buffer): number {
  if (bytes[bytes.length - 1] === carriageReturn) return bytes.length - 1
  const feed = bytes.lastIndexOf(lineFeed)
  const tail = bytes.subarray(feed === -1 ? bytes.length : feed)
  return tail.equals(delimiter.subarray(0, tail.length)) ? bytes.length - tail.length : bytes.length
}

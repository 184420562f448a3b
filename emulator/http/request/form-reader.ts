/** Longer than any boundary or useful header. */
export const maxLineBytes = 65_536

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** @param boundary the text of the lines between parts, one character per byte */
export function createFormReader(body: AsyncIterable<Uint8Array>, boundary: string) {
  const chunks = body[Symbol.asyncIterator]()
  const delimiter = Buffer.from(`\n${boundary}`, 'latin1')
  let buffer = nothing

  /** @returns undefined at the end */
  const next = async (): Promise<Buffer | undefined> => {
    const { done, value } = await chunks.next()
    return done === true ? undefined : Buffer.from(value.buffer, value.byteOffset, value.length)
  }

  /** The part of the buffer up to `end`, at most `room` bytes. */
  const linePiece = (end: number, room: number) => buffer.subarray(0, end === -1 ? room : Math.min(end, room))

  return {
    /** The next line without its break, cut after {@link maxLineBytes}; undefined if no complete line is left. */
    async line(): Promise<string | undefined> {
      const pieces: Buffer[] = []
      let room = maxLineBytes
      for (;;) {
        const end = buffer.indexOf(lineFeed)
        const piece = linePiece(end, room)
        // Copied, since a slice would keep its whole chunk in memory.
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

    /**
     * Passes everything before the next delimiter to `take`.
     * @returns false if the body ended without a delimiter
     */
    async content(take: (bytes: Uint8Array) => Promise<void>) {
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

    /** Reads and discards the rest. */
    async drain() {
      while ((await next()) !== undefined) buffer = nothing
    },

    /** Stops reading; the source learns that nothing more is needed. */
    async close() {
      await chunks.return?.()
    },
  }
}

/** Reads a multipart body piece by piece; keeps at most one line or a possible delimiter in memory. */
export type FormReader = ReturnType<typeof createFormReader>

const nothing: Buffer = Buffer.alloc(0)

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

/**
 * Separates bytes of the content from those that are, or may be, a delimiter; the line break before one is no content.
 * `isEnd`: whether `held` begins with a whole delimiter.
 */
function split(buffer: Buffer, delimiter: Buffer) {
  const found = buffer.indexOf(delimiter)
  const end = found === -1 ? possibleDelimiterStart(delimiter, buffer) : found
  const hasReturn = end < buffer.length && end > 0 && buffer[end - 1] === carriageReturn
  const bytes = buffer.subarray(0, hasReturn ? end - 1 : end)
  return { bytes, held: buffer.subarray(found === -1 ? bytes.length : found), isEnd: found !== -1 }
}

/** Where the last bytes may begin a delimiter or the line break before it. */
function possibleDelimiterStart(delimiter: Buffer, bytes: Buffer): number {
  if (bytes[bytes.length - 1] === carriageReturn) return bytes.length - 1
  const feed = bytes.lastIndexOf(lineFeed)
  const tail = bytes.subarray(feed === -1 ? bytes.length : feed)
  return tail.equals(delimiter.subarray(0, tail.length)) ? bytes.length - tail.length : bytes.length
}

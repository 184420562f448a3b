/** Reads a source from its first byte on, holding no more of it than is asked for at a time. */
export interface ByteReader {
  /** The next bytes; undefined where there are fewer. */
  take(count: number): Promise<Buffer | undefined>
  /** Passes bytes over; false where there are fewer. */
  skip(count: number): Promise<boolean>
  /**
   * Passes over everything up to the next marker of a JPEG, and tells which it is; undefined where there is none, or
   * where the first `until` bytes of the source are passed.
   */
  marker(until: number): Promise<number | undefined>
  close(): Promise<void>
}

/** @param signal its abort makes whatever has to read on throw its reason */
export function createByteReader(source: AsyncIterable<Uint8Array>, signal: AbortSignal): ByteReader {
  const chunks = source[Symbol.asyncIterator]()
  let held = Buffer.alloc(0)
  let passed = 0

  const more = async (): Promise<boolean> => {
    signal.throwIfAborted()
    const { done, value } = await chunks.next()
    if (done) return false
    held = held.length === 0 ? Buffer.from(value) : Buffer.concat([held, value])
    return true
  }
  const pass = (count: number) => {
    held = held.subarray(count)
    passed += count
  }

  return {
    async take(count) {
      while (held.length < count) if (!(await more())) return undefined
      const taken = held.subarray(0, count)
      pass(count)
      return taken
    },
    async skip(count) {
      let left = count
      while (held.length < left) {
        left -= held.length
        pass(held.length)
        if (!(await more())) return false
      }
      pass(left)
      return true
    },
    async marker(until) {
      while (passed <= until) {
        const at = markerIn(held)
        if (at !== -1) {
          const found = held[at + 1]
          pass(at + 2)
          return found
        }
        pass(held.at(-1) === 0xff ? held.length - 1 : held.length)
        if (!(await more())) return undefined
      }
      return undefined
    },
    async close() {
      await chunks.return?.()
    },
  }
}

/** Where the first marker is that has a meaning of its own: no stuffed or filling byte, no restart, no begin. */
function markerIn(bytes: Buffer): number {
  for (let at = bytes.indexOf(0xff); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1]
    if (next === undefined) return -1
    if (next > 1 && next < 0xff && !(next >= 0xd0 && next <= 0xd8)) return at
  }
  return -1
}

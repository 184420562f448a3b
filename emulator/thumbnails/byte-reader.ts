/** Reads a source from its start; holds only what was requested. */
export interface ByteReader {
  /** The next bytes; undefined if fewer are left. */
  take(count: number): Promise<Buffer | undefined>
  /** Skips bytes; false if fewer are left. */
  skip(count: number): Promise<boolean>
  /**
   * Skips to the next JPEG marker and returns it; undefined if there is none within the source's first `until` bytes.
   */
  marker(until: number): Promise<number | undefined>
  close(): Promise<void>
}

/** @param signal once aborted, the next read throws its reason */
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

/** The first marker with a meaning: not stuffing, fill, restart or start of image. */
function markerIn(bytes: Buffer): number {
  for (let at = bytes.indexOf(0xff); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1]
    if (next === undefined) return -1
    if (next > 1 && next < 0xff && !(next >= 0xd0 && next <= 0xd8)) return at
  }
  return -1
}

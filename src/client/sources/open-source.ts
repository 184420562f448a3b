/** A source that can be read and has not been checked. */
export interface OpenSource {
  /** For messages and as the file name; undefined for bytes without a name. */
  readonly name: string | undefined
  /** In bytes; undefined for a stream of unknown size. */
  readonly size: number | undefined
  /** The first bytes, up to `sniffLengthBytes`. */
  readonly head: Uint8Array
  /** Whether it can be read more than once. */
  readonly replayable: boolean
  /**
   * All bytes from the start; opens nothing before the first chunk is read.
   * @throws SourceError at once for a stream that has been read, during the iteration if the file has changed
   */
  read(): AsyncIterable<Uint8Array>
  /** Closes a stream that is not read, or not to its end. */
  close(): void
}

/** A file name that is no path, and has no control characters; empty if nothing is left. */
export function plainName(name: string): string {
  const plain = name.replace(/^.*[/\\]/s, '').replace(/\p{Cc}/gu, '_')
  return /^\.+$/.test(plain) ? '' : plain
}

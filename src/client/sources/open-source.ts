/** Bytes that are there to be read, before anyone looked at them. */
export interface OpenSource {
  /** For messages and as the file name; undefined where the bytes have none. */
  readonly name: string | undefined
  /** In bytes; undefined where only the end of the stream will tell. */
  readonly size: number | undefined
  /** The first bytes, as many as it takes to tell their type, where there are as many. */
  readonly head: Uint8Array
  /** Whether it can be read more than once. */
  readonly replayable: boolean
  /**
   * All bytes from the start; nothing is opened before the first is asked for.
   * @throws SourceError at once where they were read and cannot be again, on the way where they are not as they were
   */
  read(): AsyncIterable<Uint8Array>
  /** Lets go of what is open between two reads: a stream that is never read, or not to its end. */
  close(): void
}

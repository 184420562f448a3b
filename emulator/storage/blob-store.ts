/**
 * Stores file bytes under random ids; names sent by clients are never used. A blob exists once it is committed. Bytes
 * are committed before the record that refers to them, so a failure may leave a blob without a record, never a record
 * without bytes.
 */
export interface BlobStore {
  create(): BlobWriter
  /**
   * The bytes of a blob or a part of it; leaving the iteration early closes the source.
   * @throws Error, once iterated, if the blob does not exist
   */
  read(id: string, range?: ByteRange): AsyncIterable<Uint8Array>
  /**
   * A file with the blob's bytes, for programs that read only files; created if needed. It exists until the blob is
   * removed and must not be written to.
   * @throws Error if the blob does not exist
   */
  path(id: string): Promise<string>
  /** Removes a blob; does nothing if it does not exist. */
  remove(id: string): Promise<void>
  /** Removes everything that exists only for this process. */
  close(): Promise<void>
}

/** Bytes counted from 0, both ends included, within the blob's size. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** A blob being written. After a failed write nothing is kept and nothing more may be written. */
export interface BlobWriter {
  readonly id: string
  /** Resolves when the next chunk may follow. */
  write(chunk: Uint8Array): Promise<void>
  /** Makes the blob exist; nothing more may be written. */
  commit(): Promise<void>
  /** Discards what was written; does nothing after a commit. */
  discard(): Promise<void>
}

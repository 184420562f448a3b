/**
 * Where file bytes are kept, under unguessable names of the store's own making; nothing a user sends becomes a name.
 * A blob exists once it is committed. Records refer to blobs, so bytes are committed before the record is written,
 * and whatever fails in between leaves a blob to be removed, never a record without bytes.
 */
export interface BlobStore {
  create(): BlobWriter
  /**
   * The bytes of a blob, or a part of them; leaving the iteration early closes what they are read from.
   * @throws Error, once iterated, where there is no such blob
   */
  read(id: string, range?: ByteRange): AsyncIterable<Uint8Array>
  /**
   * The file that holds a blob, for programs that only read files; one is made where the blob was held otherwise. It
   * stays until the blob is removed, and must not be written to.
   * @throws Error where there is no such blob
   */
  path(id: string): Promise<string>
  /** Forgets a blob; one that does not exist is no error. */
  remove(id: string): Promise<void>
  /** Removes everything the store keeps only for this process. */
  close(): Promise<void>
}

/** Bytes counted from 0, both ends included, within what the blob has. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** A blob in the making; one of which a part could not be written leaves nothing behind, and nothing may follow. */
export interface BlobWriter {
  readonly id: string
  /** Resolves when more may follow. */
  write(chunk: Uint8Array): Promise<void>
  /** Makes the blob exist; nothing may follow. */
  commit(): Promise<void>
  /** Throws away what was written; after a commit it does nothing. */
  discard(): Promise<void>
}

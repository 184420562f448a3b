/**
 * Where file bytes are kept, under unguessable names of the store's own making; nothing a user sends becomes a name.
 * A blob exists once it is committed. Records refer to blobs, so bytes are committed before the record is written,
 * and whatever fails in between leaves a blob to be removed, never a record without bytes.
 */
export interface BlobStore {
  create(): BlobWriter
  /** The bytes of a blob, from the first to the last. */
  read(id: string): AsyncIterable<Uint8Array>
  /** Forgets a blob; one that does not exist is no error. */
  remove(id: string): Promise<void>
  /** Removes everything the store keeps only for this process. */
  close(): Promise<void>
}

/** A blob in the making. */
export interface BlobWriter {
  readonly id: string
  /** Resolves when more may follow. */
  write(chunk: Uint8Array): Promise<void>
  /** Makes the blob exist; nothing may follow. */
  commit(): Promise<void>
  /** Throws away what was written; after a commit it does nothing. */
  discard(): Promise<void>
}

/** A stored file of which a thumbnail is wanted. */
export interface ThumbnailSource {
  /** One the service accepts. */
  readonly mimeType: string
  readonly sizeBytes: number
  /** Its bytes, from the first to the last. */
  read(): AsyncIterable<Uint8Array>
  /** A file that has its bytes, for those who do not want all of them in memory; only to be read. */
  path(): Promise<string>
}

/**
 * Makes a small JPEG of a file, within a bounded time.
 * @returns `itself` where the file is to be its own thumbnail, `placeholder` where a grey picture is; undefined where none can be made of it, which may as well
 * make it throw
 */
export type ThumbnailMaker = (
  source: ThumbnailSource,
  signal: AbortSignal,
) => Promise<Uint8Array | 'itself' | 'placeholder' | undefined>

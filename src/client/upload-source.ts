/** A stream to upload; read once, so it cannot be sent a second time. */
export interface StreamSource {
  readonly stream: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>
  /** In bytes. Without it the request carries no Content-Length. */
  readonly size?: number
  readonly name: string
}

/** What can be uploaded: a path, a file URL, a Blob or File, bytes, or a stream. */
export type UploadSource = string | URL | Blob | Uint8Array | StreamSource

import { sniffLengthBytes } from '../../protocol/media-types.ts'
import { abortable } from '../../system/abortable.ts'
import { SourceError } from '../errors.ts'
import type { OpenSource } from './open-source.ts'
import { type ByteStream, chunksOf, takeStream } from './stream-chunks.ts'

/** A stream to upload; it can be read, and so sent, only once. */
export interface StreamSource {
  readonly stream: ByteStream
  /** In bytes. Without it the request has no Content-Length. */
  readonly size?: number
  /** Default: `upload.<extension of the type>`. */
  readonly name?: string
}

/**
 * Opens a stream for upload and reads its first bytes, which tell its type.
 *
 * @throws SourceError for a stream that is locked or over, or fails; `signal.reason` when aborted, even if it is silent
 */
export async function openStreamSource(
  { stream, size, name: givenName }: StreamSource,
  signal: AbortSignal | undefined,
): Promise<OpenSource> {
  const name = givenName || undefined
  const label = name ?? 'The stream'
  takeStream(stream, label)
  const chunks = abortable(chunksOf(stream, label), signal)
  const first: Uint8Array[] = []
  let length = 0
  while (length < sniffLengthBytes) {
    const { done, value } = await chunks.next()
    if (done) break
    first.push(value)
    length += value.length
  }
  let spent = false
  async function* readOnce() {
    spent = true
    yield* first
    yield* chunks
  }
  return {
    name,
    size,
    head: Buffer.concat(first).subarray(0, sniffLengthBytes),
    replayable: false,
    read() {
      if (!spent) return readOnce()
      throw new SourceError('spent', `${name ?? 'The source'} is a stream and can only be sent once`, {
        hint: 'Give a path, a Blob or a Buffer to have it sent again after a refusal',
      })
    },
    close: () => void chunks.return(undefined).catch(() => {}),
  }
}

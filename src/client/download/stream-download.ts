import { once } from 'node:events'
import { PassThrough, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { anySignal, ownSignal } from '../../system/signals.ts'
import { DownloadError } from '../errors.ts'
import type { DownloadTarget } from './download.ts'

export interface StreamDownload {
  /** What errors call the stream. */
  readonly name: string
  readonly signal: AbortSignal
  readonly onProgress: (bytes: number) => void
}

/**
 * Lets work download to a stream of Node or of the web, as `stream.pipeline` does: the stream is ended after the work, and
 * destroyed when the work fails. Standard output and standard error stay open.
 *
 * @param work its signal aborts with the other, or when the stream fails
 * @throws DownloadError of code `stream-failed`; `signal.reason` when aborted; every error of the work
 */
export async function downloadToStream<T>(
  stream: Writable | WritableStream<Uint8Array>,
  options: StreamDownload,
  work: (target: DownloadTarget, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal } = options
  const entrance = new PassThrough()
  const broken = new AbortController()
  const end = stream !== process.stdout && stream !== process.stderr
  const piped = pipeline(entrance, stream as Writable, { signal: ownSignal(signal), end }).catch((cause: unknown) => {
    const message = `${options.name} failed, and the download with it: ${cause instanceof Error ? cause.message : cause}`
    broken.abort(new DownloadError('stream-failed', message, { hint: 'Download it again, to another stream', cause }))
  })
  try {
    const until = anySignal([signal, broken.signal])
    const result = await work(createTarget(entrance, { ...options, signal: until }), until)
    entrance.end()
    await piped
    broken.signal.throwIfAborted()
    return result
  } catch (error) {
    entrance.destroy(error instanceof Error ? error : new Error('The download failed'))
    await piped
    throw signal.aborted ? signal.reason : error
  }
}

/**
 * The bytes that are written cannot be taken back. If a retry starts the same file again, they are skipped; if the file has
 * changed, the download fails.
 */
function createTarget(stream: Writable, { name, signal, onProgress }: StreamDownload): DownloadTarget {
  let written = 0
  let skip = 0
  let validator: string | undefined
  return {
    name,
    resume: () => ({ bytes: written, validator }),
    async begin(start) {
      const same = start.validator !== undefined && start.validator === validator
      if (written > 0 && !same) {
        throw new DownloadError('size-mismatch', `${name}: the download was interrupted and cannot be resumed`, {
          hint: 'Download to a file, or try again',
        })
      }
      skip = written - start.offset
      validator = start.validator
    },
    async write(chunk) {
      const rest = chunk.subarray(Math.min(skip, chunk.length))
      skip -= chunk.length - rest.length
      if (rest.length === 0) return
      if (!stream.write(rest)) await once(stream, 'drain', { signal })
      written += rest.length
      onProgress(written)
    },
  }
}

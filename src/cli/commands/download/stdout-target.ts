import type { DownloadTarget } from '../../../index.ts'
import { CliError } from '../../failures/cli-error.ts'
import { wrongSize } from './part-file.ts'

export interface StreamTarget extends DownloadTarget {
  /** @throws CliError if bytes are missing */
  finish(): void
}

export interface StreamTargetOptions {
  /** In bytes, as stated by the service. */
  readonly size: number
  readonly signal: AbortSignal
  readonly onProgress: (bytes: number) => void
}

/**
 * Downloads to a stream, whose written bytes cannot be taken back. If a retry starts the same file again, the bytes
 * already written are skipped; if the file has changed, the download fails.
 */
export function createStreamTarget(
  stream: NodeJS.WritableStream,
  { size, signal, onProgress }: StreamTargetOptions,
): StreamTarget {
  let written = 0
  let skip = 0
  let validator: string | undefined
  return {
    resume: () => ({ bytes: written, validator }),
    async begin(start) {
      const same = start.validator !== undefined && start.validator === validator
      if (written > 0 && !same) {
        throw new CliError('size-mismatch', 'The download was interrupted and cannot be resumed on standard output', {
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
      if (written + rest.length > size) throw wrongSize('Standard output', size, written + rest.length)
      if (!stream.write(rest)) await drained(stream, signal)
      written += rest.length
      onProgress(written)
    },
    finish() {
      if (written !== size) throw wrongSize('Standard output', size, written)
    },
  }
}

function drained(stream: NodeJS.WritableStream, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const end = () => {
      stream.off('drain', end).off('close', end).off('error', end)
      signal.removeEventListener('abort', end)
      if (signal.aborted) reject(signal.reason)
      else resolve()
    }
    stream.on('drain', end).on('close', end).on('error', end)
    signal.addEventListener('abort', end)
  })
}

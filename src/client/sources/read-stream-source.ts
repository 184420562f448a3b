import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { SourceError } from '../errors.ts'
import { toSourceError } from './file-source.ts'
import type { StreamSource } from './stream-source.ts'

/** What `fs.ReadStream` has besides a stream's own; instances of `graceful-fs` and others too. */
interface FileStream extends Readable {
  readonly path: string | Buffer
  readonly start?: number
  /** The last byte, counted from 0. */
  readonly end?: number
}

/** A stream of a file that was opened by its path. */
export function isFileStream(value: unknown): value is FileStream {
  if (!(value instanceof Readable && 'path' in value && 'bytesRead' in value)) return false
  return (typeof value.path === 'string' || Buffer.isBuffer(value.path)) && value.path.length > 0
}

/** The stream with the name and the size that its path tells. @throws SourceError if the file cannot be opened */
export async function describeFileStream(stream: FileStream): Promise<StreamSource> {
  const path = String(stream.path)
  // Without a listener, a file that is missing would end the process before the stream is read.
  stream.on('error', () => {})
  try {
    const stats = await stat(path)
    if (stats.isDirectory()) throw new SourceError('directory', `${path} is a folder, not a file`)
    const end = Math.min(stream.end ?? Number.POSITIVE_INFINITY, stats.size - 1)
    const size = Math.max(end - (stream.start ?? 0) + 1, 0)
    return { stream, name: basename(path), ...(stats.isFile() && { size }) }
  } catch (error) {
    stream.destroy()
    throw toSourceError(path, error)
  }
}

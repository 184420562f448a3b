import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { checkOptions, type OptionChecks, type OptionWords, wholeNumberFrom } from '../../checks/options.ts'
import { aText, kindBy } from '../../checks/values.ts'
import { sniffLengthBytes } from '../../protocol/media-types.ts'
import { abortable } from '../../system/signals.ts'
import { SourceError } from '../errors.ts'
import type { OpenSource } from './file-source.ts'
import { toSourceError } from './file-source.ts'
import { type ByteStream, chunksOf, isBegun, isStream, refuseSpent, takeStream } from './stream-chunks.ts'

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

/** What `fs.ReadStream` has besides a stream's own; instances of `graceful-fs` and others too. */
interface FileStream extends Readable {
  readonly path: string | Buffer
  readonly start?: number
  /** The last byte, counted from 0. */
  readonly end?: number
}

/** A stream of a file that was opened by its path. */
function isFileStream(value: unknown): value is FileStream {
  if (!(value instanceof Readable && 'path' in value && 'bytesRead' in value)) return false
  return (typeof value.path === 'string' || Buffer.isBuffer(value.path)) && value.path.length > 0
}

/** The stream with the name and the size that its path tells. @throws SourceError if the file cannot be opened */
async function describeFileStream(stream: FileStream): Promise<StreamSource> {
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

/** A stream that was given without its name and size. */
export async function described(stream: ByteStream): Promise<StreamSource> {
  refuseSpent(stream, 'The stream')
  if (isBegun(stream)) {
    throw new SourceError('spent', 'The stream has been read in part: its first bytes are gone', {
      hint: 'Open it again; to send only the rest, pass { stream, name }',
    })
  }
  return isFileStream(stream) ? await describeFileStream(stream) : { stream }
}

const streamChecks: OptionChecks<StreamSource> = {
  stream: kindBy(
    'a stream, such as process.stdin',
    (value) => typeof value === 'object' && value !== null && isStream(value),
  ),
  size: wholeNumberFrom(0, 'a whole number of bytes'),
  name: aText,
}

const streamWords: OptionWords = {
  required: ['stream'],
  instead: { filename: 'the file name is name', fileName: 'the file name is name', length: 'the bytes are size' },
}

/** What the source says counts, else what a file's path tells. */
export async function checkedStreamSource(source: StreamSource): Promise<StreamSource> {
  checkOptions('client.upload’s source', source, streamChecks, streamWords)
  const { stream, size, name } = source
  const told =
    isFileStream(stream) && (size === undefined || name === undefined) && !isBegun(stream)
      ? await describeFileStream(stream)
      : { stream }
  return { ...told, ...(size !== undefined && { size }), ...(name !== undefined && { name }) }
}

import { fileURLToPath } from 'node:url'
import {
  acceptedMediaType,
  defaultMaxFileSizeBytes,
  mediaTypes,
  sniffLengthBytes,
  sniffMimeType,
} from '../protocol/media-types.ts'
import { SourceError } from './errors.ts'
import { openFileSource } from './file-source.ts'
import type { OpenSource } from './open-source.ts'

/** A stream to upload; read once, so it cannot be sent a second time. */
export interface StreamSource {
  readonly stream: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>
  /** In bytes. Without it the request carries no Content-Length. */
  readonly size?: number
  readonly name: string
}

/** What can be uploaded: a path, a file URL, a Blob or File, bytes, or a stream. */
export type UploadSource = string | URL | Blob | Uint8Array | StreamSource

/** A source that passed every check that can be made before sending. */
export interface PreparedSource {
  readonly name: string
  readonly mimeType: string
  readonly size: number | undefined
  read(): AsyncIterable<Uint8Array>
}

/**
 * Opens a source and checks what the service would refuse, before a unit or a byte is spent.
 *
 * @throws SourceError where it is missing, empty, too large or of a type that is not accepted
 */
export async function prepareSource(
  source: UploadSource,
  maxFileSizeBytes: number = defaultMaxFileSizeBytes,
): Promise<PreparedSource> {
  const opened = await openSource(source)
  const label = opened.name ?? 'The data'
  if (opened.size === 0 || opened.head.length === 0) throw new SourceError('empty', `${label} is empty`)
  if (opened.size !== undefined && opened.size > maxFileSizeBytes) {
    throw new SourceError(
      'too-large',
      `${label} has ${bytes(opened.size)}, more than the limit of ${bytes(maxFileSizeBytes)}`,
    )
  }
  const type = checkedType(opened.head, label)
  const name = uploadName(opened.name ?? `upload.${type.extension}`, type.extension)
  return { name, mimeType: type.mimeType, size: opened.size, read: opened.read }
}

function openSource(source: UploadSource): Promise<OpenSource> {
  if (typeof source === 'string') return openFileSource(source)
  if (source instanceof URL) return openFileSource(fileURLToPath(source))
  if (source instanceof Uint8Array) return openBlob(new Blob([source as Uint8Array<ArrayBuffer>]))
  return source instanceof Blob ? openBlob(source) : openStream(source)
}

async function openBlob(blob: Blob): Promise<OpenSource> {
  const name = 'name' in blob && typeof blob.name === 'string' && blob.name !== '' ? blob.name : undefined
  const head = new Uint8Array(await blob.slice(0, sniffLengthBytes).arrayBuffer())
  return { name, size: blob.size, head, read: () => iterate(blob.stream()) }
}

async function openStream({ stream, size, name }: StreamSource): Promise<OpenSource> {
  const chunks = iterate(stream)[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  let length = 0
  while (length < sniffLengthBytes) {
    const { done, value } = await chunks.next()
    if (done) break
    first.push(value)
    length += value.length
  }
  let spent = false
  async function* read() {
    if (spent) {
      throw new SourceError('spent', `${name} is a stream and can only be sent once`, {
        hint: 'Give a path, a Blob or a Buffer to have it sent again after a refusal',
      })
    }
    spent = true
    yield* first
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  return { name, size, head: Buffer.concat(first).subarray(0, sniffLengthBytes), read }
}

async function* iterate(stream: StreamSource['stream']): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream as AsyncIterable<Uint8Array>) yield chunk
}

function checkedType(head: Uint8Array, label: string) {
  const mimeType = sniffMimeType(head)
  const type = mimeType === undefined ? undefined : acceptedMediaType(mimeType)
  if (type) return type
  const kinds = mediaTypes.map((accepted) => accepted.label).join(', ')
  throw new SourceError('unsupported-type', `${label} is ${mimeType ?? 'of no known type'}; accepted are ${kinds}`)
}

/** A plain, non-empty file name; scripts' extensions are refused by such services whatever the file holds. */
function uploadName(name: string, extension: string): string {
  const plain = name.replace(/^.*[/\\]/, '').replace(/\p{Cc}/gu, '_')
  if (plain === '') return `upload.${extension}`
  return /\.(php[3-578]?|phtml|phar)$/i.test(plain) ? `${plain}.${extension}` : plain
}

function bytes(count: number): string {
  const megabytes = Math.round((count / 1_048_576) * 10) / 10
  return `${megabytes.toLocaleString('en')} MB (${count.toLocaleString('en')} bytes)`
}

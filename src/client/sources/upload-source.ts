import { fileURLToPath } from 'node:url'
import {
  acceptedMediaType,
  defaultMaxFileSizeBytes,
  mediaTypes,
  sniffLengthBytes,
  sniffMimeType,
} from '../../protocol/media-types.ts'
import { abortable } from '../abortable.ts'
import { SourceError } from '../errors.ts'
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
  /** For a source whose size only its end will tell. */
  readonly maxBytes: number
  /** Whether it can be sent more than once. */
  readonly replayable: boolean
  read(): AsyncIterable<Uint8Array>
}

interface SourceLimits {
  readonly maxFileSizeBytes?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Opens a source and checks what the service would refuse, before a unit or a byte is spent.
 *
 * @throws SourceError where it is missing, empty, too large or of a type that is not accepted
 */
export async function prepareSource(source: UploadSource, limits: SourceLimits = {}): Promise<PreparedSource> {
  const { maxFileSizeBytes: maxBytes = defaultMaxFileSizeBytes, signal } = limits
  const opened = await openSource(source, signal)
  const label = opened.name ?? 'The data'
  if (opened.size === 0 || opened.head.length === 0) throw new SourceError('empty', `${label} is empty`)
  if (opened.size !== undefined && opened.size > maxBytes) throw tooLarge(label, maxBytes, opened.size)
  const type = checkedType(opened.head, label)
  const name = uploadName(opened.name ?? `upload.${type.extension}`, type.extension)
  const { size, replayable, read } = opened
  return { name, mimeType: type.mimeType, size, maxBytes, replayable, read }
}

function openSource(source: UploadSource, signal: AbortSignal | undefined): Promise<OpenSource> {
  if (typeof source === 'string') return openFileSource(source)
  if (source instanceof URL) return openFileSource(fileURLToPath(source))
  if (source instanceof Uint8Array) return openBlob(new Blob([source as Uint8Array<ArrayBuffer>]))
  return source instanceof Blob ? openBlob(source) : openStream(source, signal)
}

/** What is in memory is handed over in pieces, so that its progress can be told and a break in the middle be known. */
const SLICE_BYTES = 262_144

async function openBlob(blob: Blob): Promise<OpenSource> {
  const name = 'name' in blob && typeof blob.name === 'string' && blob.name !== '' ? blob.name : undefined
  const head = new Uint8Array(await blob.slice(0, sniffLengthBytes).arrayBuffer())
  async function* read() {
    for (let at = 0; at < blob.size; at += SLICE_BYTES) {
      yield new Uint8Array(await blob.slice(at, at + SLICE_BYTES).arrayBuffer())
    }
  }
  return { name, size: blob.size, head, replayable: true, read }
}

async function openStream({ stream, size, name }: StreamSource, signal: AbortSignal | undefined): Promise<OpenSource> {
  const chunks = abortable(iterate(stream), signal)
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
    yield* chunks
  }
  return { name, size, head: Buffer.concat(first).subarray(0, sniffLengthBytes), replayable: false, read }
}

async function* iterate(stream: StreamSource['stream']): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream as AsyncIterable<Uint8Array>) yield chunk
}

/** @param size where it is known how large it is */
export function tooLarge(label: string, maxBytes: number, size?: number): SourceError {
  const has = size === undefined ? 'is larger than' : `has ${bytes(size)}, more than`
  return new SourceError('too-large', `${label} ${has} the limit of ${bytes(maxBytes)}`)
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

import { Blob } from 'node:buffer'
import { fileURLToPath } from 'node:url'
import { isSharedArrayBuffer } from 'node:util/types'
import { invalidValue, kindOf, quoted } from '../../checks/coded-error.ts'
import {
  acceptedMediaType,
  defaultMaxFileSizeBytes,
  executableName,
  isoVariety,
  type MediaType,
  mediaTypes,
  sniffLengthBytes,
  sniffMimeType,
} from '../../protocol/media-types.ts'
import { blobBytes, blobChunks, isBlob } from '../../system/blob-bytes.ts'
import { SourceError } from '../errors.ts'
import {
  type ByteStream,
  bytesOf,
  isStream,
  type OpenSource,
  openFileSource,
  openStreamSource,
  plainName,
  type StreamSource,
} from './local-source.ts'
import type { RemoteFile } from './remote-file.ts'

/**
 * What can be uploaded: a path, a file or http URL, a Blob or File, bytes, or a stream: one of Node or of the web, a
 * generator of bytes, or a `StreamSource` to give it a name and a size. A stream is sent once; all others are sent again
 * after a failure that stored nothing.
 */
export type UploadSource =
  | string
  | URL
  | globalThis.Blob
  | ArrayBufferLike
  | ArrayBufferView
  | ByteStream
  | StreamSource
  | RemoteFile

/** A source that has passed all checks before sending. Its `read` throws SourceError also for a stream that is too large. */
export interface PreparedSource extends OpenSource {
  readonly name: string
  readonly mimeType: string
}

interface SourceOptions {
  readonly signal?: AbortSignal | undefined
  /** Asks for the file at an http or https URL. */
  readonly openUrl?: ((url: string) => Promise<RemoteFile>) | undefined
  /** Default: 200 MB (spec 8.7). */
  readonly maxFileSizeBytes?: number | undefined
  /** Whether to accept files of any type. Default: false. */
  readonly anyType?: boolean | undefined
}

/**
 * Opens a source and refuses what the service would refuse, before a unit is spent or a byte sent.
 *
 * @throws SourceError for a source that is missing, empty, too large or of a type that is not accepted
 */
export async function prepareSource(source: UploadSource, options: SourceOptions = {}): Promise<PreparedSource> {
  const { maxFileSizeBytes: maxBytes = defaultMaxFileSizeBytes, anyType = false } = options
  const opened = await openSource(source, options)
  try {
    return checked(opened, maxBytes, anyType)
  } catch (error) {
    opened.close()
    throw error
  }
}

function checked(opened: OpenSource, maxBytes: number, anyType: boolean): PreparedSource {
  const { size, head, again } = opened
  const label = opened.name ?? 'The data'
  if (size === 0 || head.length === 0) throw new SourceError('empty', `${label} is empty`)
  if (size !== undefined && size > maxBytes) throw tooLarge(label, maxBytes, size)
  const type = typeOf(head, label, anyType)
  const name = uploadName(opened.name ?? `upload.${type.extension}`, type.extension)
  const read = () => (size === undefined ? upTo(maxBytes, label, opened.read()) : opened.read())
  return { name, mimeType: type.mimeType, head, size, again, read, close: () => opened.close() }
}

/** Limits a stream of unknown size. */
async function* upTo(maxBytes: number, label: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > maxBytes) throw tooLarge(label, maxBytes)
    yield chunk
  }
}

/** @param size undefined if unknown */
function tooLarge(label: string, maxBytes: number, size?: number): SourceError {
  const has = size === undefined ? 'is larger than' : `has ${bytes(size)}, more than`
  return new SourceError('too-large', `${label} ${has} the limit of ${bytes(maxBytes)}`)
}

function typeOf(head: Uint8Array, label: string, anyType: boolean): Pick<MediaType, 'mimeType' | 'extension'> {
  const mimeType = sniffMimeType(head)
  const type = mimeType === undefined ? undefined : acceptedMediaType(mimeType)
  if (type) return type
  if (anyType) return { mimeType: mimeType ?? 'application/octet-stream', extension: 'bin' }
  const refused = (found: string, hint?: string) =>
    new SourceError('unsupported-type', `${label} is ${found}`, { hint })
  if (mimeType === 'text/html') throw refused('a web page, not an image or video')
  const kinds = mediaTypes.map((accepted) => accepted.label).join(', ')
  const variety = isoVariety(head)
  const unknown = variety ? `of a type that is not accepted (${variety})` : 'of no known type'
  throw refused(mimeType ? `${mimeType}, which is not accepted` : unknown, `Accepted are ${kinds}`)
}

/** A plain, non-empty file name with an extension that services accept. */
function uploadName(name: string, extension: string): string {
  const plain = plainName(name)
  if (plain === '') return `upload.${extension}`
  return executableName.test(plain) ? `${plain}.${extension}` : plain
}

function bytes(count: number): string {
  if (count < 1_048_576) return `${count.toLocaleString('en')} bytes`
  const megabytes = Math.round((count / 1_048_576) * 10) / 10
  return `${megabytes.toLocaleString('en')} MB (${count.toLocaleString('en')} bytes)`
}

const takes = 'client.upload takes a path, a URL, a Blob, bytes or a stream'

/** @throws TypeError for what is no source; SourceError for one that cannot be read */
async function openSource(source: UploadSource, options: SourceOptions): Promise<OpenSource> {
  if (typeof source === 'string') return openFileSource(checkedPath(source))
  const bytes = bytesOf(source)
  if (bytes !== undefined) return openBlobSource(toBlob(bytes))
  if (typeof source !== 'object' || source === null) throw noSource(source)
  if ('again' in source && source.again === 'from its site') return source
  if ('href' in source && typeof source.href === 'string' && 'protocol' in source) {
    return openUrlSource(source.href, options)
  }
  if (isBlob(source)) return openBlobSource(source)
  const isNamed = 'stream' in source && typeof source.stream !== 'function'
  if (isStream(source) || isNamed) return openStreamSource(source as ByteStream | StreamSource, options.signal)
  throw noSource(source)
}

/** A copy, because the caller may use the memory again. Not the global Blob, which an environment for tests may replace. */
function toBlob(bytes: Uint8Array): globalThis.Blob {
  const own = isSharedArrayBuffer(bytes.buffer) ? Uint8Array.from(bytes) : (bytes as Uint8Array<ArrayBuffer>)
  return new Blob([own]) as globalThis.Blob
}

/** Opens a Blob of any environment for upload; a File's name is the file name. */
async function openBlobSource(blob: Blob): Promise<OpenSource> {
  const name = 'name' in blob && typeof blob.name === 'string' && blob.name !== '' ? blob.name : undefined
  const head = await blobBytes(blob.slice(0, sniffLengthBytes))
  return { name, size: blob.size, head, again: 'at hand', read: () => blobChunks(blob), close() {} }
}

async function openUrlSource(href: string, { openUrl }: SourceOptions): Promise<OpenSource> {
  if (/^file:/i.test(href)) return openFileSource(fileURLToPath(href))
  if (/^https?:/i.test(href) && openUrl !== undefined) {
    const { username, password } = new URL(href)
    if (username || password) throw invalidValue('client.upload takes no URL with a user name or password in it')
    return await openUrl(href)
  }
  throw invalidValue(`client.upload takes file:, http: and https: URLs, but got one of ${href.split(':', 1)}:`)
}

/** In characters: what is longer is probably the content. */
const longestPath = 4_096

function checkedPath(path: string): string {
  if (path === '') throw noSource(path)
  const [scheme] = /^(https?|file):(?=\/\/)/i.exec(path) ?? []
  if (scheme !== undefined) {
    throw invalidValue(`${takes}; a text is a path, and this one begins with ${scheme} so pass new URL(text) instead`)
  }
  if (path.length <= longestPath && !path.includes('\0')) return path
  throw new SourceError('missing', `${quoted(path)} is no path: it is too long or has a NUL character`, {
    hint: 'To upload content, pass it as a Buffer or a Blob',
  })
}

function noSource(source: unknown): Error {
  const isUnset = source === undefined || source === null || source === ''
  const why = isUnset ? ': is the variable set that it comes from?' : ''
  return invalidValue(`${takes}, but got ${kindOf(source)}${why}`)
}

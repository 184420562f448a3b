import {
  acceptedMediaType,
  defaultMaxFileSizeBytes,
  executableName,
  isoVariety,
  type MediaType,
  mediaTypes,
  sniffMimeType,
} from '../../protocol/media-types.ts'
import { SourceError } from '../errors.ts'
import { type OpenSource, plainName } from './file-source.ts'
import { type OpenOptions, openSource, type UploadSource } from './open-any.ts'
import { RemoteFile } from './remote-file.ts'

/** A source that has passed all checks before sending. */
export interface PreparedSource {
  readonly name: string
  readonly mimeType: string
  /** The first bytes, which tell the type. */
  readonly head: Uint8Array
  readonly size: number | undefined
  /** Whether it can be sent more than once. */
  readonly replayable: boolean
  /** Whether it can be read again without a request. */
  readonly isAtHand: boolean
  /** As {@link OpenSource.read}. @throws SourceError during the iteration also for a stream that is too large */
  read(): AsyncIterable<Uint8Array>
  /** To be called after the last read; closes a stream. */
  close(): void
}

interface SourceLimits extends OpenOptions {
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
export async function prepareSource(source: UploadSource, limits: SourceLimits = {}): Promise<PreparedSource> {
  const { maxFileSizeBytes: maxBytes = defaultMaxFileSizeBytes, anyType = false } = limits
  const opened = await openSource(source, limits)
  try {
    return checked(opened, maxBytes, anyType)
  } catch (error) {
    opened.close()
    throw error
  }
}

function checked(opened: OpenSource, maxBytes: number, anyType: boolean): PreparedSource {
  const { size, head, replayable } = opened
  const read = () => opened.read()
  const close = () => opened.close()
  const label = opened.name ?? 'The data'
  if (size === 0 || head.length === 0) throw new SourceError('empty', `${label} is empty`)
  if (size !== undefined && size > maxBytes) throw tooLarge(label, maxBytes, size)
  const type = typeOf(head, label, anyType)
  const name = uploadName(opened.name ?? `upload.${type.extension}`, type.extension)
  const bounded = size === undefined ? () => upTo(maxBytes, label, read()) : read
  const isAtHand = replayable && !(opened instanceof RemoteFile)
  return { name, mimeType: type.mimeType, head, size, replayable, isAtHand, read: bounded, close }
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

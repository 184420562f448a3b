import type { ByteRange } from '../storage/blobs.ts'
import { newDetails, type UploadRecord } from '../storage/record-types.ts'

/** A batch of uploads without stored bytes, to fill long lists. */
export interface SyntheticUploads {
  readonly count: number
  /** A media type that the service accepts. */
  readonly mimeType: string
  readonly sizeBytes: number
  /** The oldest upload's; epoch milliseconds. */
  readonly firstCreatedAt: number
  /** Between one upload and the next. */
  readonly intervalMs: number
  /** How many of their slugs to return. */
  readonly maxSlugs: number
}

export function* synthesize({
  count,
  mimeType,
  sizeBytes,
  firstCreatedAt,
  intervalMs,
}: SyntheticUploads): Generator<Omit<UploadRecord, 'id' | 'slug' | 'accountId'>> {
  const thumbnail = { state: 'none' } as const
  for (let index = 0; index < count; index += 1) {
    yield {
      blobId: null,
      thumbnail,
      mimeType,
      sizeBytes,
      ...newDetails,
      createdAt: firstCreatedAt + index * intervalMs,
    }
  }
}

/** Bytes generated at a time. */
const pieceBytes = 262_144

/** Just enough bytes to identify each type. */
const signatures: Readonly<Record<string, string>> = {
  'image/jpeg': '\xff\xd8\xff\xe0',
  'image/png': '\x89PNG\r\n\x1a\n\0\0\0\rIHDR',
  'image/gif': 'GIF89a',
  'image/webp': 'RIFF\0\0\0\0WEBP',
  'video/mp4': '\0\0\0\x18ftypisom',
  'video/webm': '\x1aE\xdf\xa3\x87B\x82\x84webm',
  'video/quicktime': '\0\0\0\x14ftypqt  ',
}

/**
 * The bytes of a synthetic upload: the signature of its type, then zeros. They are the same on every read and match the
 * upload's size, so it can be downloaded, but show no picture.
 */
export async function* syntheticBytes(mimeType: string, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
  const signature = Buffer.from(signatures[mimeType] ?? '', 'latin1')
  for (let at = start; at <= end; at += pieceBytes) {
    const piece = Buffer.alloc(Math.min(pieceBytes, end + 1 - at))
    if (at < signature.length) signature.copy(piece, 0, at)
    yield piece
  }
}

import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { ThumbnailSource } from '../../../../emulator/service/thumbnail-maker.ts'
import { checkPicture } from '../../../../emulator/thumbnails/picture-size.ts'
import { mediaFiles, mediaPath } from '../../../helpers/media.ts'

const never = new AbortController().signal

/** Returns bytes in pieces and counts how many were read. */
function source(mimeType: string, bytes: Uint8Array, pieceBytes = 65_536) {
  const asked = { bytes: 0 }
  const given: ThumbnailSource = {
    mimeType,
    sizeBytes: bytes.length,
    async *read() {
      for (let at = 0; at < bytes.length; at += pieceBytes) {
        asked.bytes += pieceBytes
        yield bytes.subarray(at, at + pieceBytes)
      }
    },
    path: () => expect.unreachable(),
  }
  return { given, asked }
}

function png(width: number, height: number, depth: number, colourType: number): Buffer {
  const bytes = Buffer.alloc(33)
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  bytes.set([depth, colourType], 24)
  return bytes
}

function webp(kind: 'VP8 ' | 'VP8L' | 'VP8X', fill: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(30)
  bytes.write(`RIFF\0\0\0\0WEBP${kind}`, 'latin1')
  fill(bytes)
  return bytes
}

function gif(width: number, height: number): Buffer {
  const bytes = Buffer.from('GIF89a\0\0\0\0', 'latin1')
  bytes.writeUInt16LE(width, 6)
  bytes.writeUInt16LE(height, 8)
  return bytes
}

const segment = (marker: number, ...body: readonly number[]) =>
  Buffer.from([0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 0xff, ...body])
const frame = (width: number, height: number, depth = 8, channels = 3) =>
  segment(0xc2, depth, height >> 8, height & 0xff, width >> 8, width & 0xff, channels)
const scan = Buffer.concat([segment(0xda, 1, 2, 3), Buffer.from([1, 0xff, 0, 2, 0xff, 0xd0, 3])])
const jpeg = (...parts: readonly Buffer[]) => Buffer.concat([Buffer.from([0xff, 0xd8]), ...parts])
const scans = (count: number) => Array.from({ length: count }, () => scan)

test.each(mediaFiles.filter(([, mimeType]) => mimeType.startsWith('image/')))(
  '%s, a camera’s picture, is accepted, read byte by byte too',
  async (name, mimeType) => {
    const bytes = await readFile(mediaPath(name))
    await checkPicture(source(mimeType, bytes).given, never)
    await checkPicture(source(mimeType, bytes, 1).given, never)
  },
)

test.each<[string, string, Buffer]>([
  ['a PNG of 90,000,000 × 1 pixels of 8 bytes', 'image/png', png(90_000_000, 1, 16, 6)],
  ['a PNG of 4 thousand million pixels a side', 'image/png', png(0xff_ff_ff_ff, 0xff_ff_ff_ff, 1, 0)],
  ['a PNG that is 8 bytes a pixel too large', 'image/png', png(13_107_201, 1, 16, 6)],
  ['a GIF of 65,535 pixels a side', 'image/gif', gif(65_535, 65_535)],
  ['a WebP with a canvas of 16,777,216 a side', 'image/webp', webp('VP8X', (bytes) => bytes.fill(0xff, 24))],
  ['a lossless WebP of 16,384 a side', 'image/webp', webp('VP8L', (bytes) => bytes.fill(0xff, 21))],
  ['a lossy WebP of 16,383 a side', 'image/webp', webp('VP8 ', (bytes) => bytes.fill(0xff, 26))],
  ['a JPEG of 65,535 a side', 'image/jpeg', jpeg(frame(65_535, 65_535), scan)],
  ['a JPEG of 12 bits that is 6 bytes a pixel too large', 'image/jpeg', jpeg(frame(17_477, 1_000, 12), scan)],
])('%s is refused by its header', async (_, mimeType, bytes) => {
  await expect(checkPicture(source(mimeType, bytes).given, never)).rejects.toThrow('up to 104857600 bytes are decoded')
})

test('a PNG of exactly the largest decoded size is accepted', async () => {
  await checkPicture(source('image/png', png(13_107_200, 1, 16, 6)).given, never)
})

test('a JPEG of 12 million pixels is refused with 400 scans and accepted with 20', async () => {
  await checkPicture(source('image/jpeg', jpeg(frame(4_000, 3_000), ...scans(20))).given, never)
  const slow = source('image/jpeg', jpeg(frame(4_000, 3_000), ...scans(400)))
  await expect(checkPicture(slow.given, never)).rejects.toThrow('4000 × 3000 pixels in 51 scans, which takes too long')
})

test.each([
  ['stuffed bytes', Buffer.from([0xff, 0])],
  ['empty tables', segment(0xc4)],
])('a JPEG of 6 million bytes of %s is refused without reading all of it', async (_, filling) => {
  const { given, asked } = source('image/jpeg', jpeg(Buffer.alloc(6_000_000, filling)))
  await expect(checkPicture(given, never)).rejects.toThrow('This is no image/jpeg that can be read')
  expect(asked.bytes).toBeLessThan(4_400_000)
})

test('an abort ends the check of a JPEG at the current piece', async () => {
  const { given, asked } = source('image/jpeg', jpeg(frame(9, 9), Buffer.alloc(1_000_000)))
  const ending = new AbortController()
  const judged = checkPicture(given, ending.signal)
  ending.abort(new Error('closing'))
  await expect(judged).rejects.toThrow('closing')
  expect(asked.bytes).toBe(65_536)
})

test('a PNG is not read beyond its header', async () => {
  const { given, asked } = source('image/png', Buffer.concat([png(9, 9, 8, 2), Buffer.alloc(1_000_000)]), 1_000)
  await checkPicture(given, never)
  expect(asked.bytes).toBe(1_000)
})

test.each([
  ['image/png', Buffer.alloc(20)],
  ['image/gif', Buffer.alloc(5)],
  ['image/webp', webp('VP8 ', (bytes) => bytes.write('VP9 ', 12))],
  ['image/jpeg', jpeg()],
  ['image/jpeg', jpeg(segment(0xc0, 8))],
  ['image/jpeg', jpeg(Buffer.from([0xff, 0xe0, 0, 0]), frame(9, 9))],
  ['image/jpeg', jpeg(Buffer.alloc(3_000_000, 0xff))],
  ['image/bmp', Buffer.alloc(100)],
])('%s without a size in its header is refused', async (mimeType, bytes) => {
  await expect(checkPicture(source(mimeType, bytes).given, never)).rejects.toThrow(
    `This is no ${mimeType} that can be read`,
  )
})

import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createThumbnailMaker, type ThumbnailSource } from '../../../../emulator/thumbnails/thumbnail-maker.ts'
import { mediaPath } from '../../../helpers/media.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'

const never = new AbortController().signal

/** A source with its bytes in a file and any declared size. */
async function fileSource(path: string, mimeType: string, sizeBytes?: number): Promise<ThumbnailSource> {
  return {
    mimeType,
    sizeBytes: sizeBytes ?? (await stat(path)).size,
    async *read() {
      yield await readFile(path)
    },
    path: () => path,
  }
}

async function bytesSource(bytes: Uint8Array, mimeType: string): Promise<ThumbnailSource> {
  const path = join(temporaryFolder(), 'file')
  await writeFile(path, bytes)
  return fileSource(path, mimeType)
}

/** The thumbnail of a source. */
const thumbnailOf = async (source: ThumbnailSource | Promise<ThumbnailSource>, signal = never) =>
  createThumbnailMaker()(await source, signal)

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0.5 } } })

test.each([
  ['photo.jpg', 'image/jpeg'],
  ['picture.png', 'image/png'],
  ['animation.gif', 'image/gif'],
  ['picture.webp', 'image/webp'],
])('the thumbnail of %s is a JPEG', async (name, mimeType) => {
  expect(await sharp(await thumbnailOf(fileSource(mediaPath(name), mimeType))).metadata()).toMatchObject({
    format: 'jpeg',
  })
})

test.each([
  [1_000, 500, 256, 128],
  [40, 30, 40, 30],
  [2_000, 1, 256, 1],
])('a picture of %d by %d pixels gets a thumbnail of %d by %d', async (width, height, newWidth, newHeight) => {
  const source = await bytesSource(await picture(width, height).png().toBuffer(), 'image/png')
  expect(await sharp(await thumbnailOf(source)).metadata()).toMatchObject({ width: newWidth, height: newHeight })
})

test('a thumbnail is upright and has no metadata', async () => {
  const bytes = await picture(400, 200)
    .jpeg()
    .withExif({ IFD0: { Copyright: 'the author' }, IFD3: { GPSLatitudeRef: 'N' } })
    .withMetadata({ orientation: 6 })
    .toBuffer()
  const thumbnail = await createThumbnailMaker()(await bytesSource(bytes, 'image/jpeg'), never)
  const { width, height, exif, orientation, icc } = await sharp(thumbnail).metadata()
  expect([width, height, exif, orientation, icc]).toEqual([128, 256, undefined, undefined, undefined])
})

test('the thumbnail of an animation is its first frame', async () => {
  const frame = (color: string) => sharp({ create: { width: 20, height: 20, channels: 3, background: color } })
  const frames = await Promise.all(['#00ff00', '#0000ff'].map((color) => frame(color).png().toBuffer()))
  const bytes = await sharp(frames, { join: { animated: true } })
    .webp({ lossless: true })
    .toBuffer()
  expect((await sharp(bytes).metadata()).pages).toBe(2)
  const thumbnail = await createThumbnailMaker()(await bytesSource(bytes, 'image/webp'), never)
  const [red = 255, green = 0, blue = 255] = await sharp(thumbnail).raw().toBuffer()
  expect([red < 20, green > 235, blue < 20]).toEqual([true, true, true])
})

/** A PNG whose header claims this many pixels of 8 bytes. */
function pngClaiming(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(45)
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  bytes.set([16, 6], 24)
  bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29)
  bytes.write('IDAT', 37)
  bytes.writeUInt32BE(crc32(Buffer.from('IDAT')), 41)
  return bytes
}

test.each([
  ['of 13,107,201 pixels of 8 bytes', 13_107_201, 1, 'The picture needs 104857608 bytes; up to 104857600 are decoded'],
  ['of 3,600,000,000 pixels', 60_000, 60_000, 'Input image exceeds pixel limit'],
])('a picture whose header claims a raster %s is refused before it is decoded', async (_, width, height, reason) => {
  const source = await bytesSource(pngClaiming(width, height), 'image/png')
  await expect(createThumbnailMaker()(source, never)).rejects.toThrow(reason)
})

test('a picture whose end is missing gets no thumbnail', async () => {
  const photo = await readFile(mediaPath('photo.jpg'))
  await expect(thumbnailOf(bytesSource(photo.subarray(0, 2_000), 'image/jpeg'))).rejects.toThrow()
})

test('a video’s thumbnail is a grey picture', async () => {
  expect(await createThumbnailMaker()(await fileSource(mediaPath('clip.mp4'), 'video/mp4'), never)).toBe('placeholder')
})

test('an abort ends the decoding of a picture at once, and the next picture is decoded', async () => {
  const make = createThumbnailMaker()
  const ending = new AbortController()
  const source = await fileSource(mediaPath('photo.jpg'), 'image/jpeg')
  const given = { ...source, path: () => expect.unreachable(), sizeBytes: 1 }
  const made = make(given, ending.signal)
  ending.abort(new Error('closing'))
  await expect(made).rejects.toThrow('closing')
  expect((await make(given, never))?.length).toBeGreaterThan(100)
})

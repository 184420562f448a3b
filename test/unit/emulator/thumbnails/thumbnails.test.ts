import { readFile } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import type { EmulatorOptions } from '../../../../emulator/index.ts'
import { createThumbnailMaker, type ThumbnailSource } from '../../../../emulator/thumbnails/thumbnail-maker.ts'
import { jpegBytes, mediaPath } from '../../../helpers/media.ts'
import { emulated, json, send, uploaded } from '../emulated.ts'
import { visit } from '../site/own-account.ts'

const photo = await readFile(mediaPath('photo.jpg'))

async function withUpload(settings: EmulatorOptions['settings'] = {}, bytes: Uint8Array = photo) {
  const emulator = await emulated({ settings })
  const upload = await uploaded(emulator, bytes)
  const { uploads } = emulator.control
  return { emulator, uploads, upload, url: `/t/${upload.slug}`, look: () => visit(emulator, `/t/${upload.slug}`) }
}

/** The thumbnail that the service makes of a picture. */
async function thumbnailOf(picture: Uint8Array) {
  const { look } = await withUpload({ thumbnail: 'immediate' }, picture)
  return sharp(Buffer.from(await (await look()).arrayBuffer()))
}

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0.5 } } })

test('an immediate thumbnail is in the answer to the upload, and looking at it is not a view', async () => {
  const { emulator, upload, url, look } = await withUpload({ thumbnail: 'immediate' })
  expect(upload.thumb_url).toBe(`http://h${url}`)
  expect((await look()).headers.get('Content-Type')).toBe('image/jpeg')
  expect((await json(send(emulator, 'GET', `/api/uploads/${upload.slug}`))).upload.views).toBe(0)
})

test('a thumbnail can be requested at once, and removed', async () => {
  const { emulator, uploads, upload, url, look } = await withUpload()
  const made = await uploads.update(upload.slug, { thumbnail: 'ready', views: 3 })
  expect([made.thumb_url, made.views]).toEqual([`http://localhost${url}`, 3])
  const tag = (await look()).headers.get('ETag')
  await uploads.update(upload.slug, { thumbnail: 'ready' })
  expect((await look()).headers.get('ETag')).toBe(tag)
  expect((await uploads.update(upload.slug, { thumbnail: 'none' })).thumb_url).toBe(null)
  await emulator.control.clock.advance('1h')
  expect((await look()).status).toBe(404)
  const patch = { thumbnail: 'pending' as 'ready' }
  await expect(uploads.update(upload.slug, patch)).rejects.toThrow('takes one of ready, none')
})

test.each([
  ['no picture', jpegBytes(1_000)],
  ['a picture whose end is missing', photo.subarray(0, 2_000)],
])('%s is uploaded without a thumbnail, and has one that is requested', async (_, bytes) => {
  const { uploads, upload, look } = await withUpload({ thumbnail: 'immediate' }, bytes)
  expect(upload.thumb_url).toBe(null)
  await uploads.update(upload.slug, { thumbnail: 'ready' })
  expect((await sharp(Buffer.from(await (await look()).arrayBuffer())).metadata()).format).toBe('jpeg')
})

test.each(['picture.png', 'animation.gif', 'picture.webp'])('the thumbnail of %s is a JPEG', async (name) => {
  const thumbnail = await thumbnailOf(await readFile(mediaPath(name)))
  expect(await thumbnail.metadata()).toMatchObject({ format: 'jpeg' })
})

test.each([
  [1_000, 500, 256, 128],
  [40, 30, 40, 30],
  [2_000, 1, 256, 1],
])('a picture of %d by %d pixels gets a thumbnail of %d by %d', async (width, height, newWidth, newHeight) => {
  const thumbnail = await thumbnailOf(await picture(width, height).png().toBuffer())
  expect(await thumbnail.metadata()).toMatchObject({ width: newWidth, height: newHeight })
})

test('a thumbnail is upright and has no metadata', async () => {
  const bytes = await picture(400, 200)
    .jpeg()
    .withExif({ IFD0: { Copyright: 'the author' }, IFD3: { GPSLatitudeRef: 'N' } })
    .withMetadata({ orientation: 6 })
    .toBuffer()
  const { width, height, exif, orientation, icc } = await (await thumbnailOf(bytes)).metadata()
  expect([width, height, exif, orientation, icc]).toEqual([128, 256, undefined, undefined, undefined])
})

test('the thumbnail of an animation is its first frame', async () => {
  const frame = (color: string) => sharp({ create: { width: 20, height: 20, channels: 3, background: color } })
  const frames = await Promise.all(['#00ff00', '#0000ff'].map((color) => frame(color).png().toBuffer()))
  const bytes = await sharp(frames, { join: { animated: true } })
    .webp({ lossless: true })
    .toBuffer()
  expect((await sharp(bytes).metadata()).pages).toBe(2)
  const [red = 255, green = 0, blue = 255] = await (await thumbnailOf(bytes)).raw().toBuffer()
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

/** Straight to the maker: the service does not say why a picture has no thumbnail. */
const sourceOf = (bytes: Uint8Array, mimeType: string): ThumbnailSource => ({
  mimeType,
  sizeBytes: bytes.length,
  async *read() {
    yield bytes
  },
  path: () => expect.unreachable(),
})

test.each([
  ['of 13,107,201 pixels of 8 bytes', 13_107_201, 1, 'The picture needs 104857608 bytes; up to 104857600 are decoded'],
  ['of 3,600,000,000 pixels', 60_000, 60_000, 'Input image exceeds pixel limit'],
])('a picture whose header claims a raster %s is refused before it is decoded', async (_, width, height, reason) => {
  const making = createThumbnailMaker()(sourceOf(pngClaiming(width, height), 'image/png'), AbortSignal.any([]))
  await expect(making).rejects.toThrow(reason)
})

test('an abort ends the decoding of a picture at once, and the next picture is decoded', async () => {
  const [make, ending] = [createThumbnailMaker(), new AbortController()]
  const source = sourceOf(photo, 'image/jpeg')
  const made = make(source, ending.signal)
  ending.abort(new Error('closing'))
  await expect(made).rejects.toThrow('closing')
  expect((await make(source, AbortSignal.any([])))?.length).toBeGreaterThan(100)
})

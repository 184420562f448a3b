import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import type { EmulatorOptions } from '../../../../emulator/index.ts'
import { jpegBytes, mediaPath } from '../../../helpers/media.ts'
import { emulated, json, send } from '../emulated.ts'
import { uploaded, visit } from '../site/own-account.ts'

const photo = await readFile(mediaPath('photo.jpg'))

async function withUpload(settings: EmulatorOptions['settings'] = {}, bytes: Uint8Array = photo) {
  const emulator = await emulated({ settings })
  const upload = await uploaded(emulator, bytes)
  const shown = async () => (await json(send(emulator, 'GET', `/api/uploads/${upload.slug}`))).upload
  const thumbnail = () => visit(emulator, `/t/${upload.slug}`)
  return { emulator, upload, shown, thumbnail, url: `/t/${upload.slug}` }
}

test('a thumbnail is a JPEG 256 pixels wide, and looking at it is not a view', async () => {
  const { emulator, shown, thumbnail, url } = await withUpload()
  await emulator.control.clock.advance(2_000)
  expect(await shown()).toMatchObject({ thumb_url: `http://h${url}`, views: 0 })
  const { format, width } = await sharp(await (await thumbnail()).arrayBuffer()).metadata()
  expect([format, width, (await shown()).views]).toEqual(['jpeg', 256, 0])
})

test('one move of the clock makes all thumbnails due by then', async () => {
  const emulator = await emulated()
  for (let count = 0; count < 5; count += 1) {
    await uploaded(emulator, photo)
    await emulator.control.clock.advance(500)
  }
  await emulator.control.clock.advance(500)
  const { data } = await json(send(emulator, 'GET', '/api/uploads'))
  expect(data.map(({ thumb_url }) => thumb_url !== null)).toEqual([false, false, true, true, true])
})

test.each(['delayed', 'immediate'] as const)('a broken image is uploaded without a thumbnail (%s)', async (setting) => {
  const { emulator, shown } = await withUpload({ thumbnail: setting }, jpegBytes(1_000))
  await emulator.control.clock.advance('1h')
  expect((await shown()).thumb_url).toBe(null)
})

test('an immediate thumbnail is in the answer to the upload', async () => {
  const { upload, url } = await withUpload({ thumbnail: 'immediate' })
  expect(upload.thumb_url).toBe(`http://h${url}`)
})

test('a thumbnail can be requested at once, and removed', async () => {
  const { emulator, upload, thumbnail, url } = await withUpload()
  const { uploads, clock } = emulator.control
  const made = await uploads.update(upload.slug, { thumbnail: 'ready', views: 3 })
  expect([made.thumb_url, made.views]).toEqual([`http://localhost${url}`, 3])
  const tag = (await thumbnail()).headers.get('ETag')
  await uploads.update(upload.slug, { thumbnail: 'ready' })
  expect((await thumbnail()).headers.get('ETag')).toBe(tag)
  expect((await uploads.update(upload.slug, { thumbnail: 'none' })).thumb_url).toBe(null)
  await clock.advance('1h')
  expect((await thumbnail()).status).toBe(404)
  const patch = { thumbnail: 'pending' as 'ready' }
  await expect(uploads.update(upload.slug, patch)).rejects.toThrow('takes one of ready, none')
})

test('a requested thumbnail exists even if the file yields none', async () => {
  const { emulator, upload, thumbnail } = await withUpload({}, jpegBytes(1_000))
  await emulator.control.uploads.update(upload.slug, { thumbnail: 'ready' })
  expect((await sharp(await (await thumbnail()).arrayBuffer()).metadata()).format).toBe('jpeg')
})

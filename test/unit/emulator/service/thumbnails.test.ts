import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import type { Emulator } from '../../../../emulator/index.ts'
import { jpegBytes, mediaPath } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'
import { emulated, json, send } from '../emulated.ts'

const photo = await readFile(mediaPath('photo.jpg'))

async function uploaded(emulator: Emulator, bytes: Uint8Array = photo) {
  return (await json(send(emulator, 'POST', '/api/upload', fileForm(bytes)))).upload
}

async function shown(emulator: Emulator, { slug }: { readonly slug: string }) {
  return (await json(send(emulator, 'GET', `/api/uploads/${slug}`))).upload
}

const thumbnail = (emulator: Emulator, { slug }: { readonly slug: string }) =>
  emulator.fetch(new Request(`http://h/t/${slug}`))

test('a thumbnail exists two seconds after the upload, not earlier', async () => {
  const emulator = await emulated()
  const upload = await uploaded(emulator)
  expect(upload.thumb_url).toBe(null)
  await emulator.control.clock.advance(1_999)
  expect((await shown(emulator, upload)).thumb_url).toBe(null)
  expect((await thumbnail(emulator, upload)).status).toBe(404)
  await emulator.control.clock.advance(1)
  expect((await shown(emulator, upload)).thumb_url).toBe(`http://h/t/${upload.slug}`)
  const response = await thumbnail(emulator, upload)
  const { format, width } = await sharp(await response.arrayBuffer()).metadata()
  expect([response.status, response.headers.get('Content-Type'), format, width]).toEqual([
    200,
    'image/jpeg',
    'jpeg',
    256,
  ])
})

test('looking at a thumbnail is not a view', async () => {
  const emulator = await emulated({ settings: { thumbnail: 'immediate' } })
  const upload = await uploaded(emulator)
  expect((await thumbnail(emulator, upload)).status).toBe(200)
  expect((await shown(emulator, upload)).views).toBe(0)
})

test('one move of the clock makes all thumbnails due by then', async () => {
  const emulator = await emulated()
  const uploads = []
  for (let count = 0; count < 5; count += 1) {
    uploads.push(await uploaded(emulator))
    await emulator.control.clock.advance(500)
  }
  await emulator.control.clock.advance(500)
  const made = await Promise.all(uploads.map(async (upload) => (await shown(emulator, upload)).thumb_url !== null))
  expect(made).toEqual([true, true, true, false, false])
})

test('an immediate thumbnail is in the answer to the upload', async () => {
  const emulator = await emulated({ settings: { thumbnail: 'immediate' } })
  const upload = await uploaded(emulator)
  expect(upload.thumb_url).toBe(`http://h/t/${upload.slug}`)
})

test('with thumbnails set to never, none is made', async () => {
  const emulator = await emulated({ settings: { thumbnail: 'never' } })
  const upload = await uploaded(emulator)
  await emulator.control.clock.advance('1d')
  expect((await shown(emulator, upload)).thumb_url).toBe(null)
})

test.each(['delayed', 'immediate'] as const)('a broken image is uploaded without a thumbnail (%s)', async (setting) => {
  const emulator = await emulated({ settings: { thumbnail: setting } })
  const upload = await uploaded(emulator, jpegBytes(1_000))
  await emulator.control.clock.advance('1h')
  expect((await shown(emulator, upload)).thumb_url).toBe(null)
})

test('deleting an upload cancels its pending thumbnail and removes a finished one', async () => {
  const emulator = await emulated()
  const early = await uploaded(emulator)
  await send(emulator, 'DELETE', `/api/uploads/${early.slug}`)
  const late = await uploaded(emulator)
  await emulator.control.clock.advance(2_000)
  expect((await thumbnail(emulator, late)).status).toBe(200)
  await send(emulator, 'DELETE', `/api/uploads/${late.slug}`)
  expect((await thumbnail(emulator, early)).status).toBe(404)
  expect((await thumbnail(emulator, late)).status).toBe(404)
})

test('a thumbnail can be requested at once, and removed', async () => {
  const emulator = await emulated()
  const upload = await uploaded(emulator)
  const made = await emulator.control.uploads.update(upload.slug, { thumbnail: 'ready', views: 3 })
  expect([made.thumb_url, made.views]).toEqual([`http://localhost/t/${upload.slug}`, 3])
  const tag = (await thumbnail(emulator, upload)).headers.get('ETag')
  await emulator.control.uploads.update(upload.slug, { thumbnail: 'ready' })
  expect((await thumbnail(emulator, upload)).headers.get('ETag')).toBe(tag)
  const dropped = await emulator.control.uploads.update(upload.slug, { thumbnail: 'none' })
  expect(dropped.thumb_url).toBe(null)
  await emulator.control.clock.advance('1h')
  expect((await thumbnail(emulator, upload)).status).toBe(404)
})

test('a requested thumbnail exists even if the file yields none', async () => {
  const emulator = await emulated()
  const upload = await uploaded(emulator, jpegBytes(1_000))
  await emulator.control.uploads.update(upload.slug, { thumbnail: 'ready' })
  const { format } = await sharp(await (await thumbnail(emulator, upload)).arrayBuffer()).metadata()
  expect(format).toBe('jpeg')
})

test('a thumbnail can only be set to ready or none', async () => {
  const emulator = await emulated()
  const upload = await uploaded(emulator)
  const patch = { thumbnail: 'pending' as 'ready' }
  await expect(emulator.control.uploads.update(upload.slug, patch)).rejects.toThrow('takes one of ready, none')
})

import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { EmulatorOptions } from '../../../../emulator/index.ts'
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

test('a broken image is uploaded without a thumbnail, and has one that is requested', async () => {
  const { uploads, upload, look } = await withUpload({ thumbnail: 'immediate' }, jpegBytes(1_000))
  expect(upload.thumb_url).toBe(null)
  await uploads.update(upload.slug, { thumbnail: 'ready' })
  const bytes = Buffer.from(await (await look()).arrayBuffer())
  expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]))
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jpegBytes } from '../../../helpers/media.ts'
import { multipartForm } from '../../../helpers/multipart-form.ts'
import { ownAccount } from './own-account.ts'

const places = ['/', '/upload', '/cont/cheie-api', '/i/SLUG']
const ends = ['', '/title', '/delete', '/allowlist', '/nothing']
const texts = ['', '1', '-1', 'NaN', '1e999', '__proto__', '<script>', '\u0000', '%00', '\ud800', '../..', 'yes', 'add']
const nasty = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.constantFrom(...texts))
const names = ['title', 'do', 'addresses', 'name', 'file', 'from', 'message', 'page']
const fields = fc.array(fc.tuple(fc.constantFrom(...names), nasty), { maxLength: 6 })

test('no fields of a form break a page of the site or let markup through', async () => {
  const { browser, upload } = await ownAccount()
  const { slug } = await upload()
  const paths = places.flatMap((place) => ends.map((end) => `${place.replace('SLUG', slug)}${end}`))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), fc.boolean(), fields, async (path, isPost, given) => {
      // Deleting is held by tests of its own.
      fc.pre(!isPost || !/\/delete$/.test(path))
      const search = new URLSearchParams(given)
      const { status, text, location } = await (isPost ? browser.send(path, search) : browser.get(`${path}?${search}`))
      expect(status).toBeLessThan(500)
      expect(text).not.toContain('<script>')
      expect(location ?? './').toMatch(/^(\.\.?\/)+[\w/-]*(\?[\w%=&.+*-]*)?$/)
    }),
    { numRuns: 400 },
  )
})

test('a broken body of files stores nothing and is answered', async () => {
  const { emulator, browser } = await ownAccount()
  const { body: whole, headers } = multipartForm({ name: 'files', fileName: 'a.jpg', content: jpegBytes(3_000) })
  const otherField = multipartForm({ name: 'file', fileName: 'a.jpg', content: jpegBytes(9) }).body
  const noFile = multipartForm({ name: 'files', content: 'text' }).body
  const ofType: Readonly<Record<string, readonly Uint8Array[]>> = {
    [headers['Content-Type']]: [whole.subarray(0, 2_000), Buffer.alloc(0), otherField, noFile],
    'multipart/form-data; boundary=x': [whole, Buffer.from('--x\r\n--x\r\n\r\n--x--')],
    'multipart/form-data': [whole],
    'image/jpeg': [jpegBytes(9)],
  }
  for (const [type, body] of Object.entries(ofType).flatMap(([type, all]) =>
    all.map((body) => [type, body] as const),
  )) {
    const headers = { Cookie: browser.cookie(), 'Sec-Fetch-Site': 'same-origin', 'Content-Type': type }
    const reply = await emulator.fetch('http://h/upload', { method: 'POST', redirect: 'manual', headers, body })
    expect([303, 400]).toContain(reply.status)
  }
  expect(emulator.control.health()).toMatchObject({ uploads: 0, bytes_stored: 0 })
})

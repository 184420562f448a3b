import { get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { jpegBytes } from '../../../helpers/media.ts'
import { emulated, json, send } from '../emulated.ts'
import { uploaded } from './own-account.ts'

/** Larger than memory and socket buffers; each byte shows its position. */
const bytes = jpegBytes(24 * 1_048_576).map((byte, index) => (index < 4 ? byte : index >> 12))

async function published() {
  const emulator = await emulated()
  const { baseUrl } = await emulator.listen()
  const { slug } = await uploaded(emulator, bytes)
  const url = `${baseUrl}/i/${slug}.jpg`
  const open = (headers: Readonly<Record<string, string>> = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => get(url, { headers }, resolve).on('error', reject))
  return { url, emulator, slug, open }
}

test('an interrupted download continues where it stopped, and counts as one view', async () => {
  const { emulator, slug, open } = await published()
  const first = await open()
  expect(first.headers['content-length']).toBe(String(bytes.length))
  let have = Buffer.alloc(0)
  for await (const chunk of first) {
    have = Buffer.concat([have, chunk])
    if (have.length > 2 * 1_048_576) break
  }
  const rest = await open({ Range: `bytes=${have.length}-`, 'If-Range': first.headers.etag ?? '' })
  const range = `bytes ${have.length}-${bytes.length - 1}/${bytes.length}`
  expect([rest.statusCode, rest.headers['content-range']]).toEqual([206, range])
  expect(Buffer.concat([have, await buffer(rest)]).equals(bytes)).toBe(true)
  expect((await json(send(emulator, 'GET', `/api/uploads/${slug}`))).upload.views).toBe(1)
})

test('a file deleted while it is being sent is sent to its end', async () => {
  const { emulator, slug, open } = await published()
  const response = await open()
  expect((await send(emulator, 'DELETE', `/api/uploads/${slug}`)).status).toBe(200)
  expect((await buffer(response)).equals(bytes)).toBe(true)
  expect((await open()).statusCode).toBe(404)
})

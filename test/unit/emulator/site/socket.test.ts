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

test('many parts read in parallel do not mix', async () => {
  const { open } = await published()
  const right = [0, 5, 1_048_575, 9_000_000, 20_000_001].map(async (start) => {
    const part = await buffer(await open({ Range: `bytes=${start}-${start + 2_000_000}` }))
    return part.equals(bytes.subarray(start, start + 2_000_001))
  })
  expect(await Promise.all(right)).toEqual(right.map(() => true))
})

test('a file deleted while it is being sent is sent to its end', async () => {
  const { emulator, slug, open } = await published()
  const response = await open()
  expect((await send(emulator, 'DELETE', `/api/uploads/${slug}`)).status).toBe(200)
  expect((await buffer(response)).equals(bytes)).toBe(true)
  expect((await open()).statusCode).toBe(404)
})

test('answers without a body leave the connection usable', async () => {
  const { url } = await published()
  for (const [status, method, headers] of [
    [200, 'HEAD', {}],
    [304, 'GET', { 'If-None-Match': '*' }],
    [416, 'GET', { Range: 'bytes=99999999-' }],
  ] as const) {
    const response = await fetch(url, { method, headers })
    expect([response.status, await response.text()]).toEqual([status, ''])
  }
})

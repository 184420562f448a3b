import { get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'
import { emulated, json, send } from '../emulated.ts'

/** Larger than memory and socket buffers; each byte shows its position. */
const bytes = jpegBytes(24 * 1_048_576).map((byte, index) => (index < 4 ? byte : index >> 12))

async function published() {
  const emulator = await emulated()
  const { baseUrl } = await emulator.listen()
  const { upload } = await json(send(emulator, 'POST', '/api/upload', fileForm(bytes)))
  const views = async () => (await json(send(emulator, 'GET', `/api/uploads/${upload.slug}`))).upload.views
  return { url: `${baseUrl}/i/${upload.slug}.jpg`, emulator, upload, views }
}

function open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => get(url, { headers }, resolve).on('error', reject))
}

test('a file arrives completely on a socket, with its declared length', async () => {
  const { url } = await published()
  const response = await open(url)
  expect(response.headers).toMatchObject({ 'content-length': String(bytes.length), 'content-type': 'image/jpeg' })
  expect((await buffer(response)).equals(bytes)).toBe(true)
})

test('an interrupted download continues where it stopped, and counts as one view', async () => {
  const { url, views } = await published()
  const first = await open(url)
  const received: Buffer[] = []
  for await (const chunk of first) {
    received.push(chunk)
    if (Buffer.concat(received).length > 2 * 1_048_576) break
  }
  const have = Buffer.concat(received)
  const rest = await open(url, { Range: `bytes=${have.length}-`, 'If-Range': first.headers.etag ?? '' })
  expect([rest.statusCode, rest.headers['content-range']]).toEqual([
    206,
    `bytes ${have.length}-${bytes.length - 1}/${bytes.length}`,
  ])
  expect(Buffer.concat([have, await buffer(rest)]).equals(bytes)).toBe(true)
  expect(await views()).toBe(1)
})

test('many parts read in parallel do not mix', async () => {
  const { url } = await published()
  const starts = [0, 5, 1_048_575, 9_000_000, 20_000_001]
  const parts = await Promise.all(
    starts.map(async (start) => buffer(await open(url, { Range: `bytes=${start}-${start + 2_000_000}` }))),
  )
  expect(
    parts.map((part, index) => part.equals(bytes.subarray(starts[index], (starts[index] ?? 0) + 2_000_001))),
  ).toEqual(starts.map(() => true))
})

test('a file deleted while it is being sent is sent to its end', async () => {
  const { url, emulator, upload } = await published()
  const response = await open(url)
  expect((await send(emulator, 'DELETE', `/api/uploads/${upload.slug}`)).status).toBe(200)
  expect((await buffer(response)).equals(bytes)).toBe(true)
  expect((await open(url)).statusCode).toBe(404)
})

test('a HEAD leaves the connection usable', async () => {
  const { url } = await published()
  for (const status of [200, 304, 416]) {
    const headers =
      status === 304 ? { 'If-None-Match': '*' } : { Range: status === 416 ? 'bytes=99999999-' : 'bytes=x' }
    const response = await fetch(url, { method: status === 200 ? 'HEAD' : 'GET', headers })
    expect([response.status, await response.text()]).toEqual([status, ''])
  }
})

import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Emulator, RequestInfo } from '../../../../emulator/index.ts'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm, multipartForm } from '../../../helpers/multipart-form.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { callControl } from '../control/control-call.ts'
import { emulated, json, send } from '../emulated.ts'

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function lastLogged({ control }: Emulator): RequestInfo | undefined {
  return control.requests.list().requests.at(-1)
}

const large = Buffer.concat([jpegBytes(4), Buffer.from(Uint32Array.from({ length: 600_000 }, (_, at) => at).buffer)])

test('an upload’s log entry has the name, size and SHA-256 of its file, in the list, over HTTP and in the stream', async () => {
  const emulator = await emulated()
  const stream = emulator.control.requests.stream()
  const { status } = await send(emulator, 'POST', '/api/upload', fileForm(large, 'Ferien – 1.jpg'))
  const file = { name: 'Ferien – 1.jpg', size: large.length, sha256: sha256(large) }
  expect([status, lastLogged(emulator)]).toMatchObject([201, { status: 201, file }])
  expect((await callControl(emulator, 'GET', '/requests')).body.requests.at(-1)?.file).toEqual(file)
  expect(await stream.next()).toMatchObject({ value: { request: { file } } })
  await stream.return()
  await send(emulator, 'GET', '/api/stats')
  expect(lastLogged(emulator)).not.toHaveProperty('file')
})

test('a refused file is logged whole if it was read: of a wrong type, too large, or behind another method', async () => {
  const emulator = await emulated({ maxFileSizeBytes: 2_000 })
  for (const bytes of [Buffer.from('plain text'), Buffer.alloc(0), jpegBytes(5_000)]) {
    const { status } = await send(emulator, 'POST', '/api/upload', fileForm(bytes, 'a.bin'))
    const file = { name: 'a.bin', size: bytes.length, sha256: sha256(bytes) }
    expect([status, lastLogged(emulator)]).toMatchObject([422, { status: 422, file }])
  }
  const overridden = multipartForm(
    { name: '_method', content: 'PUT' },
    { name: 'file', fileName: 'b.jpg', content: jpegBytes(7) },
  )
  expect((await send(emulator, 'POST', '/api/upload', overridden)).status).toBe(405)
  expect(lastLogged(emulator)).toMatchObject({ method: 'PUT', file: { name: 'b.jpg', size: 7 } })
})

test('an upload answered before its form is read, or without a file, has none in the log', async () => {
  const emulator = await emulated({ quotas: { minute: 15 } })
  const form = fileForm(jpegBytes(50))
  const refused = { ...form, headers: { ...form.headers, 'X-Api-Key': 'wrong' } }
  expect((await send(emulator, 'POST', '/api/upload', refused)).status).toBe(401)
  expect((await send(emulator, 'POST', '/api/upload', form)).status).toBe(201)
  expect((await send(emulator, 'POST', '/api/upload', form)).status).toBe(429)
  await emulator.control.clock.advance(60_000)
  expect((await send(emulator, 'POST', '/api/upload', { body: 'file=text' })).status).toBe(422)
  const { requests } = emulator.control.requests.list()
  expect(requests.map(({ status, file }) => [status, file?.size])).toEqual([
    [401, undefined],
    [201, 50],
    [429, undefined],
    [422, undefined],
  ])
})

test('of a file that breaks off, the log has what arrived', async () => {
  const emulator = await emulated()
  const { headers, body } = fileForm(large)
  const sent = body.subarray(0, 1_500_000)
  const leaving = new AbortController()
  let rest = [sent]
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const [chunk, ...others] = rest
      rest = others
      if (chunk !== undefined) return controller.enqueue(chunk)
      await new Promise((resolve) => setImmediate(resolve))
      leaving.abort()
    },
  })
  await expect(
    send(emulator, 'POST', '/api/upload', { headers, body: stream, signal: leaving.signal }),
  ).rejects.toThrow()
  while (emulator.control.requests.list().kept === 0) await new Promise((resolve) => setImmediate(resolve))
  const { status, file = { name: '', size: 0, sha256: '' } } = lastLogged(emulator) ?? {}
  expect([status, file.name]).toEqual([499, 'photo.jpg'])
  expect(file.size).toBeGreaterThan(1_400_000)
  expect(file.size).toBeLessThan(sent.length)
  expect(file.sha256).toBe(sha256(large.subarray(0, file.size)))
})

test('of several files the last is logged, and a long name is cut', async () => {
  const emulator = await emulated()
  const name = 'n'.repeat(5_000)
  const form = multipartForm(
    { name: 'file', fileName: 'first.jpg', content: jpegBytes(10) },
    { name: 'file', fileName: name, content: jpegBytes(20) },
    { name: 'other', fileName: 'third.jpg', content: jpegBytes(30) },
  )
  await send(emulator, 'POST', '/api/upload', form)
  expect(lastLogged(emulator)?.file).toEqual({
    name: `${name.slice(0, 1_024)}…`,
    size: 20,
    sha256: sha256(jpegBytes(20)),
  })
})

test('files and headers of the log outlive a restart of the data folder, and so does the ETag of a file', async () => {
  const data = temporaryFolder()
  const before = await emulated({ data })
  const { upload } = await json(send(before, 'POST', '/api/upload', fileForm(large)))
  const tag = async (emulator: Emulator) =>
    (await send(emulator, 'HEAD', new URL(upload.direct_url).pathname)).headers.get('etag')
  const [requests, etag] = [before.control.requests.list(), await tag(before)]
  await before.close()
  const after = await emulated({ data })
  expect(after.control.requests.list()).toEqual(requests)
  expect(await tag(after)).toBe(etag)
  const expected = { headers: { 'content-type': 'multipart/*', 'x-api-key': '*' }, file: { sha256: sha256(large) } }
  expect(after.control.requests.verify(expected).found).toBe(1)
})

test('a title taken from a file name has its letters beyond ASCII', async () => {
  const emulator = await emulated({ settings: { title: 'filename' } })
  const { upload } = await json(send(emulator, 'POST', '/api/upload', fileForm(jpegBytes(9), 'Sărbători 🎄.jpg')))
  expect(upload.title).toBe('Sărbători 🎄.jpg')
})

test('an upload that a fault answers has its file in the log, as far as the fault let it arrive', async () => {
  const emulator = await emulated()
  const form = fileForm(large)
  const file = { name: 'photo.jpg', size: large.length, sha256: sha256(large) }
  emulator.control.faults.set([
    { action: { type: 'status', status: 503 } },
    { action: { type: 'html_error' } },
    { action: { type: 'early_response' } },
    { action: { type: 'reset_after_body_bytes', bytes: 200_000 } },
  ])
  const upload = () => send(emulator, 'POST', '/api/upload', form).then(({ status }) => status)
  expect([await upload(), await upload(), await upload()]).toEqual([503, 502, 503])
  await expect(upload()).rejects.toThrow('fetch failed')
  expect(await upload()).toBe(201)
  const { requests } = emulator.control.requests.list()
  expect(requests.map((request) => [request.status, request.file?.size === large.length])).toEqual([
    [503, true],
    [502, true],
    [503, false],
    [499, false],
    [201, true],
  ])
  expect(requests[2]).not.toHaveProperty('file')
  const path = '/api/upload'
  const retried = {
    in_order: [
      { path, status: 503, file },
      { path, status: 201, file },
    ],
  }
  expect(emulator.control.requests.verify(retried).found).toBe(2)
  expect(emulator.control.health().uploads).toBe(1)
})

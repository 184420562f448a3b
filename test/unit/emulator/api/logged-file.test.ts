import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Emulator, RequestInfo } from '../../../../emulator/index.ts'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm, type MultipartForm, multipartForm } from '../../../helpers/multipart-form.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { emulated, send, uploaded } from '../emulated.ts'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const logged = (name: string, bytes: Uint8Array) => ({ name, size: bytes.length, sha256: sha256(bytes) })

function lastLogged({ control }: Emulator): RequestInfo | undefined {
  return control.requests.list().requests.at(-1)
}

const upload = async (emulator: Emulator, form: Partial<MultipartForm>) =>
  (await send(emulator, 'POST', '/api/upload', form)).status

const large = Buffer.concat([jpegBytes(4), Buffer.from(Uint32Array.from({ length: 600_000 }, (_, at) => at).buffer)])

test('a refused file is logged whole if it was read: of a wrong type, too large, or behind another method', async () => {
  const emulator = await emulated({ maxFileSizeBytes: 2_000 })
  for (const bytes of [Buffer.from('plain text'), Buffer.alloc(0), jpegBytes(5_000)]) {
    await upload(emulator, fileForm(bytes, 'a.bin'))
    expect(lastLogged(emulator)).toMatchObject({ status: 422, file: logged('a.bin', bytes) })
  }
  const override = { name: '_method', content: 'PUT' }
  await upload(emulator, multipartForm(override, { name: 'file', fileName: 'b.jpg', content: jpegBytes(7) }))
  expect(lastLogged(emulator)).toMatchObject({ status: 405, method: 'PUT', file: { name: 'b.jpg', size: 7 } })
})

test('an upload answered before its form is read, or without a file, has none in the log', async () => {
  const emulator = await emulated({ quotas: { minute: 15 } })
  const form = fileForm(jpegBytes(50))
  const withWrongKey = { ...form, headers: { ...form.headers, 'X-Api-Key': 'wrong' } }
  for (const sent of [withWrongKey, form, form]) await upload(emulator, sent)
  await emulator.control.clock.advance(60_000)
  await upload(emulator, { body: Buffer.from('file=text') })
  const { requests } = emulator.control.requests.list()
  expect(requests.map(({ status, file }) => `${status} ${file?.size}`)).toEqual([
    '401 undefined',
    '201 50',
    '429 undefined',
    '422 undefined',
  ])
})

test('of several files the last is logged, and a long name is cut', async () => {
  const emulator = await emulated()
  const parts = [
    ['file', 'first.jpg'],
    ['file', 'n'.repeat(5_000)],
    ['other', 'third.jpg'],
  ].map(([name = '', fileName = ''], at) => ({ name, fileName, content: jpegBytes(10 + at) }))
  await upload(emulator, multipartForm(...parts))
  expect(lastLogged(emulator)?.file).toEqual(logged(`${'n'.repeat(1_024)}…`, jpegBytes(11)))
})

test('files and headers of the log outlive a restart of the data folder, and so does the ETag of a file', async () => {
  const data = temporaryFolder()
  const before = await emulated({ data })
  const { direct_url } = await uploaded(before, large)
  const tag = async (emulator: Emulator) =>
    (await send(emulator, 'HEAD', new URL(direct_url).pathname)).headers.get('etag')
  const [requests, etag] = [before.control.requests.list(), await tag(before)]
  await before.close()
  const after = await emulated({ data })
  expect(after.control.requests.list()).toEqual(requests)
  expect(await tag(after)).toBe(etag)
  const expected = { headers: { 'content-type': 'multipart/*', 'x-api-key': '*' }, file: { sha256: sha256(large) } }
  expect(after.control.requests.verify(expected).found).toBe(1)
})

test('an upload that a fault answers has its file in the log, as far as the fault let it arrive', async () => {
  const emulator = await emulated()
  emulator.control.faults.set([
    { action: { type: 'status', status: 503 } },
    { action: { type: 'html_error' } },
    { action: { type: 'early_response' } },
    { action: { type: 'reset_after_body_bytes', bytes: 200_000 } },
  ])
  for (let sent = 1; sent <= 5; sent += 1) await upload(emulator, fileForm(large)).catch(() => 'a reset connection')
  const { requests } = emulator.control.requests.list()
  expect(requests.map(({ status, file }) => `${status} ${file && file.size === large.length}`)).toEqual([
    '503 true',
    '502 true',
    '503 undefined',
    '499 false',
    '201 true',
  ])
  const { size = 0, ...cut } = requests[3]?.file ?? {}
  expect(cut).toEqual({ name: 'photo.jpg', sha256: sha256(large.subarray(0, size)) })
})

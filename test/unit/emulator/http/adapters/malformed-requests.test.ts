import { expect, test } from 'vitest'
import { until } from '../../../../helpers/until.ts'
import { emulated } from '../../emulated.ts'
import { rawClient, served } from './served.ts'

test.each([
  [15, 200],
  [17, 200],
  [64, 200],
  [100, 431],
])('a page is opened with %i KiB of cookies of other programs: %i', async (kibibytes, status) => {
  const { baseUrl, port } = await (await emulated()).listen()
  const cookies = Array.from({ length: kibibytes }, (_, at) => `app${at}=${'x'.repeat(1_024 - `app${at}=; `.length)}`)
  const { seen } = rawClient(
    port,
    `GET /login HTTP/1.1\r\nHost: h\r\nCookie: ${cookies.join('; ')}\r\nConnection: close\r\n\r\n`,
  )
  await until(() => seen.ended)
  expect([seen.text.slice(0, 12), seen.error]).toEqual([`HTTP/1.1 ${status}`, undefined])
  expect(/open the emulator by another name, such as localhost/.test(seen.text)).toBe(status === 431)
  expect(baseUrl).toContain('127.0.0.1')
})

const chunked = 'POST /api/upload HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n'

test.each([
  ['what is no HTTP', 'hello\r\n\r\n', /^HTTP\/1\.1 400 Bad Request\r\n[^]*cannot be read as a request/],
  ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', /^HTTP\/1\.1 400 [^]*is it meant for https/],
  ['two lengths', 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['a length that is none', 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: x\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['long extensions of a chunk', `${chunked}5;${'a'.repeat(20_000)}\r\n`, /^HTTP\/1\.1 413 [^]*extensions of a chunk/],
  ['a chunk without a length', `${chunked}x\r\n`, /^HTTP\/1\.1 400 /],
])('%s is answered with words, and the connection ends', async (_, sent, answer) => {
  const { port } = await served(async ({ body }) => {
    for await (const _ of body);
    return { status: 200, headers: {}, body: '' }
  })
  const { seen } = rawClient(port, sent)
  await until(() => seen.ended)
  expect(seen.text).toMatch(answer)
})

test('a head that does not arrive in time is answered 408 with words', async () => {
  const { port } = await served(() => ({ status: 200, headers: {}, body: '' }), { headersMs: 50 })
  const { seen } = rawClient(port, 'GET / HTTP/1.1\r\n')
  await until(() => seen.ended)
  expect(seen.text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n[^]*did not arrive/)
})

import { createConnection } from 'node:net'
import { expect, test } from 'vitest'
import { unlimited } from '../../../../src/protocol/rate-limits.ts'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'
import { emulated, json, send } from '../emulated.ts'
import { missing, stats } from './wire-row.ts'

const kinds = ['fixed', 'aligned', 'sliding', 'sliding_counter', 'token_bucket'] as const

test.each(kinds)('%s windows admit exactly the limit of parallel requests', async (quota_windows) => {
  const emulator = await emulated({ quotas: { ...unlimited, burst: 20 }, settings: { quota_windows } })
  const answers = await Promise.all(Array.from({ length: 50 }, stats(emulator)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
  expect(emulator.control.accounts.quota(1).burst).toMatchObject({ used: 20, remaining: 0 })
})

test.each(kinds)('unlimited %s windows refuse and delay nothing, and only the cost header is sent', async (kind) => {
  const settings = { quota_windows: kind, rate_headers: 'all', remaining_scope: 'tightest' } as const
  const emulator = await emulated({ quotas: unlimited, settings })
  for (let count = 0; count < 30; count += 1) {
    const { status, headers } = await send(emulator, 'POST', '/api/upload')
    const told = [...headers.keys()].filter((name) => name.startsWith('x-ratelimit'))
    expect([status, told]).toEqual([422, ['x-ratelimit-cost']])
  }
  expect(emulator.clock.now()).toBe(Date.UTC(2026, 0, 15, 12))
})

test.each(['minute', 'tightest'] as const)(
  'with remaining_scope %s, only an account without any limit gets no limit header',
  async (remaining_scope) => {
    const emulator = await emulated({ quotas: { ...unlimited, hour: 500, day: 400 }, settings: { remaining_scope } })
    const told = async () => (await stats(emulator)()).headers.get('X-RateLimit-Limit')
    expect(await told()).toBe('400')
    emulator.control.accounts.update(1, { quotas: 'none' })
    expect(await told()).toBeNull()
    emulator.control.accounts.update(1, { quotas: { minute: 60 } })
    expect(await told()).toBe('60')
  },
)

test('a live change of quota_windows keeps the units used', async () => {
  const emulator = await emulated({ quotas: { ...unlimited, burst: 20 } })
  for (const quota_windows of [...kinds, ...kinds]) {
    emulator.control.settings.update({ quota_windows })
    expect((await stats(emulator)()).status).toBe(200)
  }
  expect(emulator.control.accounts.quota(1).burst.used).toBe(10)
})

const checks = ['disabled', 'key', 'suspended', 'address', 'quota'] as const

test.each([
  ['disabled', 503, 'API temporarily disabled.'],
  ['suspended', 403, 'Access suspended by administrator.'],
  ['address', 403, 'IP address not allowed.'],
  ['quota', 429, 'Burst limit exceeded. Slow down.'],
] as const)('when every check fails, the first of check_order decides the answer: %s', async (first, status, error) => {
  const emulator = await emulated({ quotas: { ...unlimited, burst: 0 }, settings: { api_enabled: false } })
  emulator.control.accounts.update(1, { suspended: true, ip_allowlist: ['10.0.0.1'] })
  emulator.control.settings.update({ check_order: [first, ...checks.filter((check) => check !== first)] })
  const response = await stats(emulator)()
  expect([response.status, await response.json()]).toEqual([status, { error }])
})

test('a request refused by a check after the quota is charged, and its headers say so', async () => {
  const emulator = await emulated({ quotas: { minute: 60 } })
  emulator.control.accounts.update(1, { suspended: true })
  emulator.control.settings.update({ check_order: 'key,quota,suspended,address,disabled' })
  const { status, headers } = await stats(emulator)()
  expect([status, headers.get('X-RateLimit-Cost'), headers.get('X-RateLimit-Remaining')]).toEqual([403, '1', '59'])
})

test('an unknown key gets 401 even if check_order puts the quota first', async () => {
  const emulator = await emulated({ settings: { check_order: 'quota,address,suspended,disabled,key' } })
  const response = await send(emulator, 'GET', '/api/stats', { headers: { 'X-Api-Key': 'wrong' } })
  expect(response.status).toBe(401)
})

test('with charge_failed off, a failing request holds its units only while it runs', async () => {
  const emulator = await emulated({ quotas: { ...unlimited, burst: 1 }, settings: { charge_failed: false } })
  const answers = [
    await missing(emulator)(),
    await missing(emulator)(),
    await stats(emulator)(),
    await missing(emulator)(),
  ]
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 200, 429])
})

test('with oversize reset, a file that is too large breaks the connection before it is read to the end', async () => {
  const emulator = await emulated({ maxFileSizeBytes: 1_024, settings: { oversize: 'reset' } })
  let sent = 0
  const endless = new ReadableStream<Uint8Array>({
    pull(stream) {
      sent += 16_384
      stream.enqueue(sent === 16_384 ? fileForm(jpegBytes(16_384)).body.subarray(0, 16_384) : new Uint8Array(16_384))
    },
  })
  const { headers } = fileForm(jpegBytes(4))
  const sending = send(emulator, 'POST', '/api/upload', { headers, body: endless })
  await expect(sending).rejects.toMatchObject({ name: 'TypeError', cause: { code: 'ECONNRESET' } })
  expect(sent).toBeLessThan(300_000)
  expect(emulator.control.requests.list().requests).toMatchObject([{ status: 499, cost: 10 }])
})

test('with oversize reset, a connection on a socket ends without an answer', async () => {
  const emulator = await emulated({ maxFileSizeBytes: 1_024, settings: { oversize: 'reset' } })
  const { port } = await emulator.listen()
  const { headers, body } = fileForm(jpegBytes(500_000))
  const socket = createConnection(port, '127.0.0.1')
  const head = [
    'POST /api/upload HTTP/1.1',
    'Host: h',
    `X-Api-Key: ${emulator.apiKey}`,
    `Content-Type: ${headers['Content-Type']}`,
    `Content-Length: ${body.length}`,
  ]
  let received = 0
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length
  })
  const closed = new Promise((resolve) => socket.on('error', () => {}).on('close', resolve))
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  socket.write(body)
  await closed
  expect(received).toBe(0)
})

test('the hostile dialect still accepts, lists, shows and deletes an upload', async () => {
  const emulator = await emulated({ dialect: 'hostile' })
  const { upload } = await json(send(emulator, 'POST', '/api/upload', fileForm(jpegBytes(100))))
  expect(upload).toMatchObject({ size: 108, title: 'photo.jpg', created_at: '2026-01-16T01:45:00+1345' })
  await emulator.control.clock.advance(2_000)
  expect((await json(send(emulator, 'GET', '/api/uploads'))).total).toBe(1)
  expect((await send(emulator, 'GET', `/api/uploads/${upload.slug}`)).status).toBe(200)
  expect(await json(send(emulator, 'DELETE', `/api/uploads/${upload.slug}`))).toEqual({ deleted: true })
  expect((await send(emulator, 'DELETE', `/api/uploads/${upload.slug}`)).status).toBe(204)
})

import { expect, test } from 'vitest'
import { unlimited } from '../../../../src/protocol/rate-limits.ts'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'
import { emulated, send } from '../emulated.ts'
import { stats } from './wire-row.ts'

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

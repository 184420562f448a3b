import { expect, test } from 'vitest'
import { jpegBytes } from '../../../helpers/media.ts'
import { fileForm } from '../../../helpers/multipart-form.ts'
import { emulated, json, send } from '../emulated.ts'

test('fifty accounts at once each have their own uploads, quota, log, faults and report', async () => {
  const emulator = await emulated({ quotas: { burst: 20, minute: 60, hour: 1_000, day: 10_000 } })
  const { control } = emulator
  const accounts = Array.from({ length: 50 }, () => control.accounts.create())
  control.faults.set(
    accounts.map(({ id }, at) => ({
      match: { account_id: id, method: 'GET', path: '/api/stats' },
      action: { type: 'status', status: 520 + (at % 50) },
    })),
  )

  const live = async (apiKey: string, at: number) => {
    const headers = { 'X-Api-Key': apiKey }
    const form = fileForm(jpegBytes(100 + at))
    const posted = await send(emulator, 'POST', '/api/upload', { ...form, headers: { ...form.headers, ...headers } })
    const { upload } = await json(posted)
    const struck = await send(emulator, 'GET', '/api/stats', { headers })
    const stats = await json(send(emulator, 'GET', '/api/stats', { headers }))
    const listed = await json(send(emulator, 'GET', '/api/uploads', { headers }))
    const left = Number(posted.headers.get('X-RateLimit-Remaining'))
    return { slug: upload.slug, size: upload.size, struck: struck.status, stats, listed, left }
  }
  const lives = await Promise.all(accounts.map(({ api_key }, at) => live(api_key, at)))

  expect(new Set(lives.map(({ slug }) => slug)).size).toBe(50)
  lives.forEach(({ slug, size, struck, stats, listed, left }, at) => {
    const id = accounts[at]?.id ?? 0
    expect([size, struck, left]).toEqual([100 + at, 520 + at, 50])
    expect(stats).toMatchObject({ uploads: 1, api_requests: 2 })
    expect(listed.data.map((upload) => upload.slug)).toEqual([slug])
    expect(control.accounts.quota(id).minute.used).toBe(12)
    expect(control.requests.list({ account_id: id }).requests.map(({ status }) => status)).toEqual([
      201,
      520 + at,
      200,
      200,
    ])
    expect(control.report({ account_id: id })).toMatchObject({ clean: true, requests: 4 })
  })
})

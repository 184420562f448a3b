import ky from 'ky'
import { expect, test } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import { unlimited } from '../../src/protocol/rate-limits.ts'
import type { Upload } from '../../src/protocol/resources.ts'
import { jpegBytes } from '../helpers/media.ts'

const file = new File([jpegBytes(300_000) as Uint8Array<ArrayBuffer>], 'photo.jpg', { type: 'image/jpeg' })

test('a client of ky takes emulator.fetch, uploads, and comes back after a refusal', async () => {
  const { fetch, control, apiKey } = await createEmulator({ quotas: unlimited, settings: { thumbnail: 'never' } })
  const headers = { 'X-Api-Key': apiKey }
  const client = ky.create({ prefix: 'http://files.example/api', fetch, headers })
  const action = { type: 'status', status: 503, headers: { 'Retry-After': '0' } } as const
  control.faults.set([{ match: { path: '/api/stats' }, times: 1, action }])
  const body = new FormData()
  body.append('file', file)
  const { upload } = await client.post('upload', { body }).json<{ upload: Upload }>()
  expect(upload.size).toBe(300_000)
  expect(await client.get('stats').json()).toMatchObject({ uploads: 1 })
  await expect(client.get('uploads/none')).rejects.toThrow('404 Not Found')
})

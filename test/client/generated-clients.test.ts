import ky from 'ky'
import createFetchClient from 'openapi-fetch'
import { expect, onTestFinished, test } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import { unlimited } from '../../src/protocol/rate-limits.ts'
import type { Upload } from '../../src/protocol/resources.ts'
import { jpegBytes } from '../helpers/media.ts'

/** What openapi-typescript writes for the paths used here. */
interface paths {
  '/api/upload': {
    post: {
      requestBody: { content: { 'multipart/form-data': { file: string } } }
      responses: { 201: { content: { 'application/json': { upload: Upload } } }; 422: Failure }
    }
  }
  '/api/uploads/{slug}': {
    get: { parameters: { path: { slug: string } }; responses: { 200: OneUpload; 404: Failure } }
    delete: { parameters: { path: { slug: string } }; responses: { 200: Deleted; 404: Failure } }
  }
}
type OneUpload = { content: { 'application/json': { upload: Upload } } }
type Deleted = { content: { 'application/json': { deleted: boolean } } }
type Failure = { content: { 'application/json': { message: string } } }

const file = new File([jpegBytes(300_000) as Uint8Array<ArrayBuffer>], 'photo.jpg', { type: 'image/jpeg' })

async function service() {
  const emulator = await createEmulator({ apiKey: 'k', quotas: unlimited, settings: { thumbnail: 'never' } })
  onTestFinished(() => emulator.close())
  return emulator
}

test('a client of openapi-fetch takes emulator.fetch, with a form, parts of paths, and errors', async () => {
  const { fetch } = await service()
  const client = createFetchClient<paths>({ baseUrl: 'http://files.example', fetch, headers: { 'X-Api-Key': 'k' } })
  const uploaded = await client.POST('/api/upload', {
    body: { file: 'photo.jpg' },
    bodySerializer() {
      const form = new FormData()
      form.append('file', file)
      return form
    },
  })
  const { slug = '' } = uploaded.data?.upload ?? {}
  expect(uploaded.data?.upload).toMatchObject({ size: 300_000, mime_type: 'image/jpeg' })
  const path = { params: { path: { slug } } }
  expect((await client.GET('/api/uploads/{slug}', path)).data?.upload.slug).toBe(slug)
  expect((await client.DELETE('/api/uploads/{slug}', path)).data).toEqual({ deleted: true })
  expect((await client.GET('/api/uploads/{slug}', path)).error?.message).toMatch(/^No query results/)
})

test('a client of ky takes emulator.fetch, uploads, and comes back after a refusal', async () => {
  const { fetch, control } = await service()
  const client = ky.create({ prefixUrl: 'http://files.example/api', fetch, headers: { 'X-Api-Key': 'k' } })
  const action = { type: 'status', status: 503, headers: { 'Retry-After': '0' } } as const
  control.faults.set([{ match: { path: '/api/stats' }, times: 1, action }])
  const body = new FormData()
  body.append('file', file)
  expect(await client.post('upload', { body }).json()).toMatchObject({ upload: { size: 300_000 } })
  expect(await client.get('stats').json()).toMatchObject({ uploads: 1 })
  await expect(client.get('uploads/none')).rejects.toThrow('404 Not Found')
})

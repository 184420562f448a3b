import { createEmulator } from 'filehost/emulator'
import createClient from 'openapi-fetch'
import type { components, paths } from './types.ts'

await using emulator = await createEmulator({ apiKey: 'k', quotas: 'none' })
emulator.control.accounts.addUploads(1, { count: 3 })
const client = createClient<paths>({
  baseUrl: 'http://files.example',
  fetch: emulator.fetch,
  headers: { 'X-Api-Key': 'k' },
})

const { data } = await client.GET('/api/uploads', { params: { query: { page: 1 } } })
const newest: components['schemas']['Upload'] | undefined = data?.data[0]
const { error } = await client.GET('/api/uploads/{slug}', { params: { path: { slug: 'none' } } })
const thumbnail: string | null | undefined = newest?.thumb_url
const isFailure = error !== undefined && 'message' in error
process.stdout.write(`${data?.total} ${newest?.mime_type} ${thumbnail} ${isFailure}\n`)

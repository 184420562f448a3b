import { spawn, spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import axios from 'axios'
import ky from 'ky'
import { request, FormData as UndiciForm } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../emulator/index.ts'
import { mediaPath } from '../helpers/media.ts'

const photo = mediaPath('photo.jpg')

/** A service at an address, known to its users by that and a key alone. */
async function service(options: EmulatorOptions = {}) {
  const emulator = await createEmulator(options)
  onTestFinished(() => emulator.close())
  const { baseUrl } = await emulator.listen({ port: 0 })
  return { emulator, baseUrl, key: emulator.apiKey }
}

async function run(file: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const printed = { stdout: '', stderr: '' }
  child.stdout.on('data', (text) => (printed.stdout += text))
  child.stderr.on('data', (text) => (printed.stderr += text))
  const code = await new Promise((resolve) => child.once('close', resolve))
  expect([code, printed.stderr]).toEqual([0, ''])
  return printed.stdout
}

function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0
}

async function photoForm(): Promise<FormData> {
  const form = new FormData()
  form.append('file', new Blob([await readFile(photo)], { type: 'image/jpeg' }), 'photo.jpg')
  return form
}

/** The next upload is refused, and said to be welcome again after a second. */
function refuseOnce({ control }: Emulator): void {
  const body = { error: 'Burst limit exceeded. Slow down.' }
  const action = { type: 'status', status: 429, headers: { 'Retry-After': '1' }, body } as const
  control.faults.set([{ match: { path: '/api/upload' }, times: 1, action }])
}

test.skipIf(!isInstalled('curl'))('curl does all five calls, and comes back after a refusal', async () => {
  const { emulator, baseUrl, key } = await service()
  const curl = async (...args: readonly string[]) =>
    JSON.parse(await run('curl', ['-s', '-H', `X-Api-Key: ${key}`, '-H', 'Accept: application/json', ...args]))
  refuseOnce(emulator)
  const { upload } = await curl('--retry', '2', '-f', '-F', `file=@${photo}`, `${baseUrl}/api/upload`)
  expect(upload).toMatchObject({ mime_type: 'image/jpeg', size: 85_049 })
  expect(await curl(`${baseUrl}/api/uploads`)).toMatchObject({ total: 1, data: [{ slug: upload.slug }] })
  expect(await curl(`${baseUrl}/api/uploads/${upload.slug}`)).toMatchObject({ upload: { slug: upload.slug } })
  expect(await curl('-X', 'DELETE', `${baseUrl}/api/uploads/${upload.slug}`)).toEqual({ deleted: true })
  expect(await curl(`${baseUrl}/api/stats`)).toMatchObject({ uploads: 0 })
  expect(emulator.control.requests.list({ path: '/api/upload' }).requests.map(({ status }) => status)).toEqual([
    429, 201,
  ])
})

test.skipIf(!isInstalled('python3'))(
  'Python’s standard library does all five calls, and heeds Retry-After',
  async () => {
    const { emulator, baseUrl, key } = await service({ quotas: { burst: null } })
    const script = fileURLToPath(new URL('./python-client.py', import.meta.url))
    refuseOnce(emulator)
    const seen = await run('python3', [script, photo], { FH_BASE_URL: baseUrl, FH_API_KEY: key })
    expect(JSON.parse(seen)).toEqual({
      refused: 429,
      upload: 201,
      size: 85_049,
      list: 1,
      show: true,
      delete: 200,
      missing: 404,
      stats: 0,
    })
  },
)

test('undici uploads a form, lists, deletes, and is told when it may come back', async () => {
  const { baseUrl, key } = await service({ clock: 'virtual', quotas: { burst: 14 } })
  const call = async (path: string, options: Parameters<typeof request>[1] = {}) => {
    const { statusCode, headers, body } = await request(`${baseUrl}${path}`, {
      headers: { 'X-Api-Key': key },
      ...options,
    })
    return { statusCode, headers, body: (await body.json()) as { total: number; upload: { slug: string } } }
  }
  // The form of this undici and not of Node's own, as its users have it.
  const form = new UndiciForm()
  form.append('file', new Blob([await readFile(photo)]), 'photo.jpg')
  const uploaded = await call('/api/upload', { method: 'POST', body: form })
  expect(uploaded).toMatchObject({ statusCode: 201, body: { upload: { size: 85_049 } } })
  expect((await call('/api/uploads')).body.total).toBe(1)
  expect((await call(`/api/uploads/${uploaded.body.upload.slug}`, { method: 'DELETE' })).statusCode).toBe(200)
  const refused = await call('/api/stats')
  expect([refused.statusCode, Number(refused.headers['retry-after'])]).toEqual([429, 10])
})

test('axios uploads a form, lists, shows, and gets errors with their bodies', async () => {
  const { baseUrl, key } = await service()
  const http = axios.create({ baseURL: baseUrl, headers: { 'X-Api-Key': key, Accept: 'application/json' } })
  const { data } = await http.postForm('/api/upload', await photoForm())
  expect(data.upload).toMatchObject({ size: 85_049 })
  expect((await http.get('/api/uploads')).data.data).toEqual([data.upload])
  expect((await http.get(`/api/uploads/${data.upload.slug}`)).data.upload).toEqual(data.upload)
  await expect(http.get('/api/uploads/none')).rejects.toMatchObject({ response: { status: 404 } })
  await expect(http.get('/api/stats', { headers: { 'X-Api-Key': 'wrong' } })).rejects.toMatchObject({
    response: { status: 401, data: { error: 'Invalid API key.' } },
  })
})

test('ky retries by itself what was refused, as long as it was told to wait', async () => {
  const { emulator, baseUrl, key } = await service()
  refuseOnce(emulator)
  const http = ky.create({ prefixUrl: baseUrl, headers: { 'X-Api-Key': key }, retry: { limit: 1, methods: ['post'] } })
  const { upload } = await http.post('api/upload', { body: await photoForm() }).json<{ upload: { slug: string } }>()
  expect(await http.get(`api/uploads/${upload.slug}`).json()).toMatchObject({ upload })
  const [refused, accepted] = emulator.control.requests.list({ path: '/api/upload' }).requests
  expect([refused?.status, accepted?.status]).toEqual([429, 201])
  expect(Date.parse(accepted?.at ?? '') - Date.parse(refused?.at ?? '')).toBeGreaterThanOrEqual(990)
})

import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../emulator/index.ts'
import { mediaPath } from '../helpers/media.ts'

const photo = mediaPath('photo.jpg')

/** A service as users know it: a URL and a key. */
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

/** Runs a client from this folder in its own process, as users do. */
async function program(name: string, { baseUrl, key }: { baseUrl: string; key: string }) {
  const script = fileURLToPath(new URL(name, import.meta.url))
  const command = name.endsWith('.py') ? 'python3' : process.execPath
  return JSON.parse(await run(command, [script, photo], { FH_BASE_URL: baseUrl, FH_API_KEY: key }))
}

/** Refuses the next upload with a Retry-After of one second. */
function refuseOnce({ control }: Emulator): void {
  const body = { error: 'Burst limit exceeded. Slow down.' }
  const action = { type: 'status', status: 429, headers: { 'Retry-After': '1' }, body } as const
  control.faults.set([{ match: { path: '/api/upload' }, times: 1, action }])
}

test.skipIf(!isInstalled('curl'))('curl makes all five calls and retries after a refusal', async () => {
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
  'Python’s standard library makes all five calls and follows Retry-After',
  async () => {
    const { emulator, ...account } = await service({ quotas: { burst: null } })
    refuseOnce(emulator)
    expect(await program('python-client.py', account)).toEqual({
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

test('undici uploads, lists and deletes, and reads Retry-After', async () => {
  const { emulator: _, ...account } = await service({ clock: 'virtual', quotas: { burst: 14 } })
  expect(await program('undici-client.mjs', account)).toEqual({
    upload: 201,
    size: 85_049,
    list: 1,
    delete: 200,
    refused: 429,
    retryAfter: '10',
  })
})

test('axios uploads, lists and shows, and its errors have their bodies', async () => {
  const { emulator: _, ...account } = await service()
  const { upload, listed, shown, missing, unknown } = await program('axios-client.mjs', account)
  expect(upload).toMatchObject({ size: 85_049 })
  expect([listed, shown]).toEqual([[upload], upload])
  expect([missing, unknown]).toEqual([404, [401, { error: 'Invalid API key.' }]])
})

test('ky retries a refused upload after Retry-After', async () => {
  const { emulator, ...account } = await service()
  refuseOnce(emulator)
  const { upload, shown } = await program('ky-client.mjs', account)
  expect(shown).toMatchObject(upload)
  const [refused, accepted] = emulator.control.requests.list({ path: '/api/upload' }).requests
  expect([refused?.status, accepted?.status]).toEqual([429, 201])
  expect(Date.parse(accepted?.at ?? '') - Date.parse(refused?.at ?? '')).toBeGreaterThanOrEqual(990)
})

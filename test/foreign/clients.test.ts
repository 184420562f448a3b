import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../emulator/index.ts'
import { mediaPath } from '../helpers/media.ts'

const photo = mediaPath('photo.jpg')
const isInstalled = (program: string) => spawnSync(program, ['--version']).status === 0

async function run(file: string, args: readonly string[], env: Record<string, string> = {}) {
  const { stdout, stderr } = await promisify(execFile)(file, args, { env: { ...process.env, ...env }, timeout: 25_000 })
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

/** A service as users know it, and a client from this folder in its own process, as users run it. */
async function service(options: EmulatorOptions = {}) {
  const emulator = await createEmulator(options)
  onTestFinished(() => emulator.close())
  const { baseUrl } = await emulator.listen({ port: 0 })
  const client = async (name: string) => {
    const script = fileURLToPath(new URL(name, import.meta.url))
    const command = name.endsWith('.py') ? 'python3' : process.execPath
    return run(command, [script, photo], { FH_BASE_URL: baseUrl, FH_API_KEY: emulator.apiKey })
  }
  return { emulator, baseUrl, client }
}

/** Refuses the next upload with a Retry-After of one second. */
function refuseOnce({ control }: Emulator): void {
  const body = { error: 'Burst limit exceeded. Slow down.' }
  const action = { type: 'status', status: 429, headers: { 'Retry-After': '1' }, body } as const
  control.faults.set([{ match: { path: '/api/upload' }, times: 1, action }])
}

test.skipIf(!isInstalled('curl'))('curl makes all five calls and retries after a refusal', async () => {
  const { emulator, baseUrl } = await service()
  const always = ['-s', '-H', `X-Api-Key: ${emulator.apiKey}`, '-H', 'Accept: application/json']
  const curl = (...args: readonly string[]) => run('curl', [...always, ...args])
  refuseOnce(emulator)
  const { upload } = await curl('--retry', '2', '-f', '-F', `file=@${photo}`, `${baseUrl}/api/upload`)
  expect(upload).toMatchObject({ mime_type: 'image/jpeg', size: 85_049 })
  expect(await curl(`${baseUrl}/api/uploads`)).toMatchObject({ total: 1, data: [{ slug: upload.slug }] })
  expect(await curl(`${baseUrl}/api/uploads/${upload.slug}`)).toMatchObject({ upload: { slug: upload.slug } })
  expect(await curl('-X', 'DELETE', `${baseUrl}/api/uploads/${upload.slug}`)).toEqual({ deleted: true })
  expect(await curl(`${baseUrl}/api/stats`)).toMatchObject({ uploads: 0 })
  const { requests } = emulator.control.requests.list({ path: '/api/upload' })
  expect(requests.map(({ status }) => status)).toEqual([429, 201])
})

test.skipIf(!isInstalled('python3'))(
  'Python’s standard library makes all five calls and follows Retry-After',
  async () => {
    const { emulator, client } = await service({ quotas: { burst: null } })
    refuseOnce(emulator)
    const outcomes = { refused: 429, upload: 201, show: true, delete: 200, missing: 404 }
    expect(await client('python-client.py')).toEqual({ ...outcomes, size: 85_049, list: 1, stats: 0 })
  },
)

test('axios uploads, lists and shows, and its errors have their bodies', async () => {
  const { upload, listed, shown, missing, unknown } = await (await service()).client('axios-client.mjs')
  expect(upload).toMatchObject({ size: 85_049 })
  expect([listed, shown]).toEqual([[upload], upload])
  expect([missing, unknown]).toEqual([404, [401, { error: 'Invalid API key.' }]])
})

test('ky retries a refused upload after Retry-After', async () => {
  const { emulator, client } = await service()
  refuseOnce(emulator)
  const { upload, shown } = await client('ky-client.mjs')
  expect(shown).toMatchObject(upload)
  const [refused, accepted] = emulator.control.requests.list({ path: '/api/upload' }).requests
  expect([refused?.status, accepted?.status]).toEqual([429, 201])
  expect(Date.parse(accepted?.at ?? '') - Date.parse(refused?.at ?? '')).toBeGreaterThanOrEqual(990)
})

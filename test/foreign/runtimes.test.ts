import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import { mediaPath } from '../helpers/media.ts'

const photo = mediaPath('photo.jpg')
const client = fileURLToPath(new URL('runtime-client.mjs', import.meta.url))
const installed = (path: string) => fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url))

/** All that the client library needs; docs/testing.md says the same. */
const permissions = [
  '--allow-net=127.0.0.1',
  '--allow-env',
  '--allow-sys=osUptime',
  `--allow-read=${photo},${photo}.none`,
]

const runtimes = {
  Deno: [process.execPath, installed('deno/bin.cjs'), 'run', '--no-prompt', ...permissions],
  Bun: [installed('bun/bin/bun.exe')],
} as const

async function run(runtime: keyof typeof runtimes, transport: string, env: Readonly<Record<string, string>>) {
  const [program, ...args] = runtimes[runtime]
  const options = { env: { ...process.env, NO_COLOR: '1', ...env }, timeout: 25_000 }
  const { stdout, stderr } = await promisify(execFile)(program, [...args, client, photo, transport], options)
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

test.each((['Deno', 'Bun'] as const).flatMap((name) => ['undici', 'fetch', 'node'].map((way) => [name, way] as const)))(
  '%s makes every call with the transport %s, waits as it is told, and ends by itself',
  async (runtime, name) => {
    const emulator = await createEmulator({ apiKey: 'k', quotas: 'none' })
    onTestFinished(() => emulator.close())
    const { baseUrl } = await emulator.listen()
    const action = { type: 'status', status: 429, headers: { 'Retry-After': '1' } } as const
    emulator.control.faults.set([{ match: { path: '/api/upload' }, times: 1, action }])
    expect(await run(runtime, name, { FH_BASE_URL: baseUrl, FH_API_KEY: 'k' })).toEqual({
      sizes: [85_049, 85_049, 85_049, 85_049],
      listed: 4,
      shown: true,
      missing: 'not-found',
      stats: 3,
      refused: 'source-missing',
      downloaded: true,
      aborted: 'AbortError',
      afterAbort: 3,
      byDefault: 85_049,
    })
    const { requests } = emulator.control.requests.list({ method: 'POST' })
    expect(requests.slice(0, 2).map(({ status }) => status)).toEqual([429, 201])
    expect(emulator.control.report().findings.map(({ kind }) => kind)).not.toContain('before_retry_after')
  },
)

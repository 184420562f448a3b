import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setupServer } from 'msw/node'
import { expect, onTestFinished, test } from 'vitest'
import { emulatorHandlers } from '../../../../emulator/testing/msw.ts'
import { createClient, nodeTransport } from '../../../../src/index.ts'
import { jpegBytes } from '../../../helpers/media.ts'
import { movingBytes, sha256Of } from '../../../helpers/slow-service.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { emulated } from '../emulated.ts'
import { faultNext } from '../faults/fault-next.ts'

const server = setupServer()

/** Any request without a handler is an error, so that none reaches the network. */
function use(...handlers: Parameters<typeof setupServer>): void {
  server.resetHandlers(...handlers)
  server.listen({ onUnhandledFrame: 'error' })
  onTestFinished(() => server.close())
}

function upload(url: string, apiKey: string): Promise<Response> {
  const body = new FormData()
  body.append('file', new Blob([jpegBytes(2_000)]), 'photo.jpg')
  return fetch(url, { method: 'POST', headers: { 'X-Api-Key': apiKey, Accept: 'application/json' }, body })
}

test('through MSW the emulator answers the global fetch at a made-up address: API, website and control API', async () => {
  const emulator = await emulated()
  use(...emulatorHandlers(emulator, { baseUrl: 'https://files.example' }))
  const answer = await upload('https://files.example/api/upload', emulator.apiKey)
  expect(answer.status).toBe(201)
  const { upload: uploaded } = (await answer.json()) as { upload: { direct_url: string; size: number } }
  expect(uploaded).toMatchObject({ direct_url: expect.stringMatching(/^https:\/\/files\.example\/i\//), size: 2_000 })
  const raw = await fetch(uploaded.direct_url)
  expect(Buffer.from(await raw.arrayBuffer()).equals(jpegBytes(2_000))).toBe(true)
  const health = await fetch('https://files.example/_emulator/health')
  expect(await health.json()).toMatchObject({ status: 'ok', uploads: 1 })
  expect((await fetch('https://files.example/')).headers.get('Content-Type')).toContain('text/html')
})

test('a large file that a client sends by node:http arrives whole through MSW', async () => {
  const emulator = await emulated()
  const baseUrl = 'http://127.0.0.1:1'
  use(...emulatorHandlers(emulator, { baseUrl }))
  const path = join(temporaryFolder(), 'large.jpg')
  writeFileSync(path, movingBytes)
  await using client = createClient({ baseUrl, apiKey: emulator.apiKey, pacing: false, transport: nodeTransport() })
  await client.upload(path)
  expect(emulator.control.requests.list().requests).toMatchObject([{ file: { sha256: sha256Of(movingBytes) } }])
})

test('through MSW, faults break the connection, truncate the answer or answer themselves', async () => {
  const emulator = await emulated()
  use(...emulatorHandlers(emulator))
  const send = () => upload('http://filehost.test/api/upload', emulator.apiKey)
  faultNext(emulator, { type: 'reset_after_body_bytes', bytes: 100 })
  await expect(send()).rejects.toThrow(TypeError)
  faultNext(emulator, { type: 'commit_then_drop' })
  await expect(send()).rejects.toThrow(TypeError)
  faultNext(emulator, { type: 'truncate_response', bytes: 20 })
  const truncated = await send()
  expect(truncated.status).toBe(201)
  await expect(truncated.text()).rejects.toThrow()
  const consequences = faultNext(emulator, { type: 'status', status: 503 })
  const answered = await send()
  expect([answered.status, await answered.json()]).toEqual([503, { error: 'API temporarily disabled.' }])
  expect(consequences().uploads).toBe(2)
})

test('an abort reaches the emulator through MSW', async () => {
  const emulator = await emulated()
  use(...emulatorHandlers(emulator))
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  const body = new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(10)) })
  const init = { method: 'POST', headers: { 'X-Api-Key': emulator.apiKey }, body, duplex: 'half' as const }
  const answer = fetch('http://filehost.test/api/upload', { ...init, signal: controller.signal })
  setImmediate(() => controller.abort())
  await expect(answer).rejects.toMatchObject({ name: 'AbortError' })
})

test.each(['files.example', 'ftp://files.example', 'https://files.example/v1', 'https://files.example/?a'])(
  'emulatorHandlers refuses the baseUrl %s',
  (baseUrl) => {
    expect(() => emulatorHandlers({}, { baseUrl })).toThrow(
      `baseUrl must be an http or https address without a path, but got "${baseUrl}"`,
    )
  },
)

import { describe, expect, onTestFinished, test } from 'vitest'
import { createEmulator, type FaultAction, type GivenFault } from '../../emulator/index.ts'
import { download } from '../../src/client/download/download.ts'
import { fetchTransport, nodeTransport, undiciTransport } from '../../src/index.ts'
import { unlimited } from '../../src/protocol/rate-limits.ts'
import { instantClock } from '../helpers/instant-clock.ts'
import { jpegBytes } from '../helpers/media.ts'
import { fileForm } from '../helpers/multipart-form.ts'
import { type Step, scriptedServer } from '../helpers/scripted-server.ts'
import { opened, transports } from './every-transport.ts'
import { memoryTarget } from './memory-target.ts'

/** Different in every place, so that bytes at the wrong place are noticed. */
const bytes = Buffer.concat([jpegBytes(4), Buffer.from(Uint32Array.from({ length: 350_000 }, (_, at) => at).buffer)])

async function site() {
  const emulator = await createEmulator({ clock: 'virtual', quotas: unlimited, settings: { thumbnail: 'never' } })
  onTestFinished(() => emulator.close())
  const { baseUrl } = await emulator.listen()
  const { headers, body } = fileForm(bytes)
  const sent = { method: 'POST', headers: { ...headers, 'X-Api-Key': emulator.apiKey }, body }
  const answer = await emulator.fetch(new Request(`${baseUrl}/api/upload`, sent))
  const { upload } = (await answer.json()) as { upload: { slug: string; direct_url: string } }
  return { emulator, upload }
}

const onFiles = (action: FaultAction, times = 1): GivenFault => ({
  match: { method: 'GET', path: '/i/*' },
  times,
  action,
})

test.each([
  ['node:http', () => nodeTransport()],
  ['undici', () => undiciTransport()],
  ['the emulator’s fetch', (fetch: typeof globalThis.fetch) => fetchTransport(fetch)],
])('a download over %s that is cut twice resumes to the exact bytes, and counts one view', async (_, create) => {
  const { emulator, upload } = await site()
  emulator.control.faults.set([onFiles({ type: 'truncate_response', bytes: 500_001 }, 2)])
  const { target, starts, content } = memoryTarget()
  const transport = create(emulator.fetch as typeof globalThis.fetch)
  await download(upload.direct_url, target, { size: bytes.length, transport, clock: instantClock() })
  await transport.close?.()
  const [first, second = 0, third = 0, ...more] = starts
  expect([first, more]).toEqual([0, []])
  // A client may lose what it has received but not yet read when the connection breaks: far less than was sent.
  expect(second).toBeGreaterThan(0)
  expect(second).toBeLessThanOrEqual(500_001)
  expect(third).toBeGreaterThan(second)
  expect(third).toBeLessThanOrEqual(second + 500_001)
  expect(content().equals(bytes)).toBe(true)
  expect(emulator.control.faults.list()).toMatchObject([{ seen: 3, struck: 2 }])
  const { records } = await emulator.control.state.get()
  expect(records['uploads']).toMatchObject([{ slug: upload.slug, views: 1 }])
})

const framings = { 'of a known length': { 'Content-Length': '10' }, 'in chunks': {}, 'until the end': {} }

describe.each(transports)('over %s', (_, create) => {
  test.each(
    Object.entries(framings).flatMap(([framing, headers]) =>
      [true, false].map((isReset) => [framing, isReset ? 'reset' : 'closed', headers, isReset] as const),
    ),
  )('a last answer %s that is %s early resumes', async (framing, _how, headers, isReset) => {
    const cut: Step = (_request, response) => {
      if (framing === 'until the end') response.useChunkedEncodingByDefault = false
      response.writeHead(200, { ETag: '"one"', Connection: 'close', ...headers })
      response.write('012345')
      setTimeout(() => (isReset ? response.socket?.resetAndDestroy() : response.socket?.end()), 20)
    }
    const rest: Step = (request, response) => {
      const from = Number(/\d+/.exec(request.headers.range ?? '0')?.[0])
      const range = from > 0 ? { 'Content-Range': `bytes ${from}-9/10` } : {}
      response.writeHead(from > 0 ? 206 : 200, { ETag: '"one"', ...range }).end('0123456789'.slice(from))
    }
    const server = await scriptedServer(cut, rest)
    const { target, content } = memoryTarget()
    await download(`${server.baseUrl}/i/a`, target, { size: 10, transport: opened(create()), clock: instantClock() })
    expect([String(content()), server.requests.length]).toEqual(['0123456789', 2])
  })
})

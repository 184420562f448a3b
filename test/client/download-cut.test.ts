import { expect, onTestFinished, test } from 'vitest'
import { createEmulator, type FaultAction, type GivenFault } from '../../emulator/index.ts'
import { download } from '../../src/client/calls/download.ts'
import { fetchTransport, nodeTransport, undiciTransport } from '../../src/index.ts'
import { unlimited } from '../../src/protocol/rate-limits.ts'
import { instantClock } from '../helpers/instant-clock.ts'
import { jpegBytes } from '../helpers/media.ts'
import { fileForm } from '../helpers/multipart-form.ts'
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

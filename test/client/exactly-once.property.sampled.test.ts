import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import { createClient, fetchTransport, UnknownOutcomeError } from '../../src/index.ts'
import { unlimited } from '../../src/protocol/rate-limits.ts'
import {
  type ExchangeFault,
  faultyTransport,
  foreign,
  harmless,
  misheard,
  unheard,
  unheeded,
} from '../helpers/faulty-transport.ts'
import { jpegBytes } from '../helpers/media.ts'
import { takesLong } from '../helpers/takes-long.ts'
import { sampledRuns } from '../sampling/sample.ts'

const faults: Readonly<Record<string, ExchangeFault>> = {
  ...Object.fromEntries(Object.entries(harmless).map(([name, fault]) => [name, fault])),
  ...Object.fromEntries(
    Object.entries({ ...unheard, ...misheard }).map(([name, fault]) => [`stored, then ${name}`, fault]),
  ),
  ...Object.fromEntries(Object.entries(foreign).map(([name, fault]) => [`nothing but ${name}`, fault])),
  ...Object.fromEntries(Object.entries(unheeded).map(([name, fault]) => [`lost, and ${name}`, fault])),
}

const MARK_AT = 20

/** Files of few sizes, so that many look alike; one byte tells each from all others. */
function marked(mark: number, size: number): Uint8Array {
  const bytes = jpegBytes(size)
  bytes[MARK_AT] = mark
  return bytes
}

const story = fc.record({
  dialect: fc.constantFrom('spec', 'laravel', 'hostile'),
  settings: fc.record({
    visible_after_ms: fc.integer({ min: 0, max: 4_000 }),
    reencode: fc.boolean(),
    created_at_format: fc.constantFrom('seconds', 'micros', 'compact_offset', 'zulu'),
    timezone: fc.constantFrom('Europe/Bucharest', 'UTC', 'Pacific/Chatham', 'America/St_Johns'),
    page_size: fc.constantFrom(2, 50),
  }),
  startAt: fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 11, 31) }),
  skewMs: fc.integer({ min: -100_000_000, max: 100_000_000 }),
  retries: fc.integer({ min: 0, max: 3 }),
  atOnce: fc.boolean(),
  sizes: fc.array(fc.constantFrom(100, 101, 300_000), { minLength: 1, maxLength: 5 }),
  faults: fc.array(fc.option(fc.constantFrom(...Object.keys(faults)), { nil: undefined }), { maxLength: 8 }),
  listFails: fc.array(fc.boolean(), { maxLength: 4 }),
})

async function tell(plot: typeof story extends fc.Arbitrary<infer Plot> ? Plot : never) {
  const emulator = await createEmulator({
    clock: 'virtual',
    quotas: unlimited,
    dialect: plot.dialect as 'spec',
    settings: { ...(plot.settings as { reencode: boolean }), thumbnail: 'never' },
  })
  await emulator.control.clock.set(new Date(plot.startAt).toISOString())
  const service = fetchTransport(emulator.fetch)
  const { transport } = faultyTransport(service, {
    POST: plot.faults.map((name) => (name === undefined ? undefined : faults[name])),
    GET: plot.listFails.map((fails) => (fails ? unheeded['a cut after the whole body'] : undefined)),
  })
  const clock = {
    now: () => emulator.clock.now() + plot.skewMs,
    sleep: async (ms: number) => void (await emulator.control.clock.advance(ms)),
  }
  const options = { baseUrl: 'http://127.0.0.1', apiKey: emulator.apiKey, clock, pacing: false } as const
  const client = createClient({ ...options, transport, retry: { retries: plot.retries } })
  const send = async (size: number, mark: number) => {
    const slug = await client.upload(marked(mark, size)).then(
      (upload) => upload.slug,
      (error: unknown) => error,
    )
    return { mark, slug: typeof slug === 'string' ? slug : undefined, unknown: slug instanceof UnknownOutcomeError }
  }
  const outcomes: Awaited<ReturnType<typeof send>>[] = []
  if (plot.atOnce) outcomes.push(...(await Promise.all(plot.sizes.map(send))))
  else for (const [mark, size] of plot.sizes.entries()) outcomes.push(await send(size, mark))
  await emulator.control.clock.advance(60_000)
  const stored: { mark: number | undefined; slug: string }[] = []
  for await (const { slug, direct_url } of createClient({ ...options, transport: service }).uploads()) {
    const bytes = new Uint8Array(await (await emulator.fetch(new Request(direct_url))).arrayBuffer())
    stored.push({ mark: bytes[MARK_AT], slug })
  }
  await emulator.close()
  return { outcomes, stored }
}

test(
  'every file is stored once and answered with its own upload, or reported as not stored, or as unknown',
  takesLong(120, '100 stories, or as many as RUNS says'),
  async () => {
    await fc.assert(
      fc.asyncProperty(story, async (plot) => {
        const { outcomes, stored } = await tell(plot)
        for (const { mark, slug, unknown } of outcomes) {
          const own = stored.filter((upload) => upload.mark === mark)
          expect(own.length).toBeLessThanOrEqual(1)
          if (slug !== undefined) expect(own).toEqual([{ mark, slug }])
          else if (!unknown) expect(own).toEqual([])
        }
      }),
      sampledRuns(120, 20),
    )
  },
)

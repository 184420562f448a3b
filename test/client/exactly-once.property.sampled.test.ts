import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEmulator } from '../../emulator/index.ts'
import { createClient, fetchTransport, type Transport, UnknownOutcomeError } from '../../src/index.ts'
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

const called = (prefix: string, faults: Readonly<Record<string, ExchangeFault>>) =>
  Object.fromEntries(Object.entries(faults).map(([name, fault]) => [prefix + name, fault]))
const faults: Readonly<Record<string, ExchangeFault>> = {
  ...harmless,
  ...called('stored, then ', { ...unheard, ...misheard }),
  ...called('nothing but ', foreign),
  ...called('lost, and ', unheeded),
}
const cut = 'a cut after the whole body'

const MARK_AT = 20

/** Files of few sizes, so that many look alike; one byte tells each from all others. */
function marked(mark: number, size: number): Uint8Array {
  const bytes = jpegBytes(size)
  bytes[MARK_AT] = mark
  return bytes
}

const minutes = (count: number) => count * 60_000
const usual = {
  dialect: 'spec' as 'spec' | 'laravel' | 'hostile',
  settings: {},
  startAt: Date.UTC(2026, 0, 15),
  skewMs: 0,
  hasMonotonic: true,
  tellsDate: true,
  /** At which instant, counted in exchanges and sleeps, the clock is set by so much. */
  step: { at: 0, ms: 0 },
  /** Another program stores a file of the same size and type half a minute earlier. */
  hasLookalike: true,
  retries: 3,
  atOnce: false,
  sizes: [100],
  faults: [] as (string | undefined)[],
  listFails: [] as boolean[],
}
const story: fc.Arbitrary<typeof usual> = fc.record({
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
  hasMonotonic: fc.boolean(),
  tellsDate: fc.boolean(),
  step: fc.record({ at: fc.nat(20), ms: fc.integer({ min: minutes(-1_440), max: minutes(1_440) }) }),
  hasLookalike: fc.boolean(),
  retries: fc.integer({ min: 0, max: 3 }),
  atOnce: fc.boolean(),
  sizes: fc.array(fc.constantFrom(100, 101, 300_000), { minLength: 1, maxLength: 5 }),
  faults: fc.array(fc.option(fc.constantFrom(...Object.keys(faults)), { nil: undefined }), { maxLength: 8 }),
  listFails: fc.array(fc.boolean(), { maxLength: 4 }),
})

async function tell(plot: typeof usual) {
  const settings = { ...plot.settings, thumbnail: 'never' } as const
  const emulator = await createEmulator({ clock: 'virtual', quotas: unlimited, dialect: plot.dialect, settings })
  await emulator.control.clock.set(new Date(plot.startAt).toISOString())
  const service = fetchTransport(emulator.fetch)
  let [skewMs, instants] = [plot.skewMs, 0]
  const pass = () => {
    instants += 1
    if (instants === plot.step.at) skewMs += plot.step.ms
  }
  const faulty = faultyTransport(service, {
    POST: plot.faults.map((name) => (name === undefined ? undefined : faults[name])),
    GET: plot.listFails.map((fails) => (fails ? unheeded[cut] : undefined)),
  })
  const transport: Transport = {
    async send(request) {
      pass()
      const response = await faulty.transport.send(request).finally(pass)
      const { date, ...undated } = response.headers
      return plot.tellsDate ? response : { ...response, headers: undated }
    },
  }
  const clock = {
    now: () => emulator.clock.now() + skewMs,
    ...(plot.hasMonotonic && { monotonic: () => emulator.clock.now() }),
    async sleep(ms: number) {
      pass()
      await emulator.control.clock.advance(ms)
      pass()
    },
  }
  const options = { baseUrl: 'http://127.0.0.1', apiKey: emulator.apiKey, pacing: false } as const
  const client = createClient({ ...options, clock, transport, retry: { retries: plot.retries } })
  const witness = createClient({ ...options, clock: emulator.clock, transport: service })
  if (plot.hasLookalike) await witness.upload(marked(99, 100))
  await emulator.control.clock.advance(30_000)
  const send = async (size: number, mark: number) => {
    const ended = await client.upload(marked(mark, size)).catch((error: unknown) => error)
    return { mark, slug: Object(ended).slug as string | undefined, unknown: ended instanceof UnknownOutcomeError }
  }
  const outcomes: Awaited<ReturnType<typeof send>>[] = []
  if (plot.atOnce) outcomes.push(...(await Promise.all(plot.sizes.map(send))))
  else for (const [mark, size] of plot.sizes.entries()) outcomes.push(await send(size, mark))
  await emulator.control.clock.advance(60_000)
  const stored: { mark: number | undefined; slug: string }[] = []
  for await (const { slug, direct_url } of witness.uploads()) {
    const bytes = new Uint8Array(await (await emulator.fetch(new Request(direct_url))).arrayBuffer())
    stored.push({ mark: bytes[MARK_AT], slug })
  }
  await emulator.close()
  return outcomes.map((outcome) => ({ ...outcome, own: stored.filter(({ mark }) => mark === outcome.mark) }))
}

test(
  'every file is stored once and answered with its own upload, or reported as not stored, or as unknown, whenever the clock is set',
  takesLong(120, '100 stories, or as many as RUNS says'),
  async () => {
    await fc.assert(
      fc.asyncProperty(story, async (plot) => {
        for (const { mark, slug, unknown, own } of await tell(plot)) {
          expect(own.length).toBeLessThanOrEqual(1)
          if (slug !== undefined) expect(own).toEqual([{ mark, slug }])
          else if (!unknown) expect(own).toEqual([])
        }
      }),
      sampledRuns(160, 30),
    )
  },
)

test.each([`stored, then ${cut}`, `lost, and ${cut}`])(
  'with a monotonic clock, setting the clock never leaves the outcome unknown: %s',
  async (fault) => {
    for (let at = 1; at <= 10; at += 1) {
      const [outcome] = await tell({ ...usual, step: { at, ms: -5_000 }, faults: [fault] })
      expect(outcome).toMatchObject({ own: [{ slug: outcome?.slug }], unknown: false })
    }
  },
)

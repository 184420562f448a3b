import { expect, test } from 'vitest'
import { provingClient } from '../../src/client/client.ts'
import type { Transport } from '../../src/index.ts'
import { unlimited } from '../../src/protocol/rate-limits.ts'
import { type AnswerCacheOptions, answerCache } from '../helpers/answer-cache.ts'
import { cut, type ExchangeFault, unheard, unheeded } from '../helpers/faulty-transport.ts'
import { inProcessClient } from '../helpers/in-process-client.ts'
import { jpegBytes } from '../helpers/media.ts'

const ofCut = 'a cut after the whole body'
const [stored, notStored] = [unheard[ofCut], unheeded[ofCut]]

/** What kinds of cache there are. */
const caches = {
  'that asks where it is told to': { obeys: true },
  'that keeps it for half a minute': { obeys: false, lastsMs: 30_000 },
  'that keeps it': { obeys: false },
  'that keeps it and does not say so': { obeys: false, tellsAge: false },
} satisfies Record<string, Omit<AnswerCacheOptions, 'now'>>

type Options = Omit<Parameters<typeof inProcessClient>[0], 'before'>

/** A client behind a cache. */
async function behind(kind: keyof typeof caches, options: Options = {}) {
  let cache: Transport | undefined
  const before = (service: Transport, now: () => number) => {
    cache = answerCache(service, { ...caches[kind], now })
    return cache
  }
  const rig = await inProcessClient({ ...options, before })
  const headers = { 'x-api-key': rig.emulator.apiKey }
  /** Another program asks the cache. */
  const ask = async () => await cache?.send({ method: 'GET', url: 'http://127.0.0.1/api/uploads', headers })
  return { ...rig, ask }
}

test.each([
  ['that asks where it is told to', 'stored', stored, 1, true],
  ['that keeps it for half a minute', 'stored', stored, 1, true],
  ['that keeps it', 'stored', stored, 1, false],
  ['that keeps it and does not say so', 'stored', stored, 1, false],
  ['that asks where it is told to', 'lost', notStored, 1, true],
  ['that keeps it for half a minute', 'lost', notStored, 1, true],
  ['that keeps it', 'lost', notStored, 0, false],
  ['that keeps it and does not say so', 'lost', notStored, 0, false],
] as const)('behind a cache %s, the list of before an upload is no proof that it was not %s', async (...row) => {
  const [kind, , fault, count, isFoundOut] = row
  const { client, clock, ask, ...rig } = await behind(kind, { faults: { POST: [fault] } })
  await ask()
  await clock.sleep(10_000)
  // Shows the client what time it is.
  await client.stats()
  const outcome: unknown = await client.upload(jpegBytes(100)).catch((error: unknown) => error)
  const uploads = await rig.stored()
  expect(uploads).toHaveLength(count)
  const why = /The list, which would tell, cannot be read: GET \S+ was answered from a cache/
  const unknown = { code: 'outcome-unknown', message: expect.stringMatching(why), candidates: [] }
  expect(outcome).toMatchObject(isFoundOut ? { slug: uploads[0]?.slug } : unknown)
})

test('a list that a cache has kept since an upload shows that it is stored', async () => {
  const fault: ExchangeFault = async (...exchange) => {
    await stored?.(...exchange).catch(() => {})
    await rig.ask()
    await rig.clock.sleep(3_000)
    throw cut
  }
  const rig = await behind('that keeps it', { faults: { POST: [fault] } })
  const { slug } = await rig.client.upload(jpegBytes(100))
  expect(await rig.stored()).toMatchObject([{ slug }])
})

test('every request asks caches for what is there now', async () => {
  const asked: unknown[] = []
  const before = ({ send }: Transport): Transport => ({
    send(request) {
      asked.push(request.headers['cache-control'])
      return send(request)
    },
  })
  const { client } = await inProcessClient({ before, faults: { POST: [stored] } })
  const { slug } = await client.upload(jpegBytes(100))
  await client.download(slug, new WritableStream())
  await client.delete(slug)
  expect(new Set(asked)).toEqual(new Set(['no-cache']))
})

test('what a cache has kept is shown, but not where it is to prove something', async () => {
  const { client, clock, sleeps, witness } = await behind('that keeps it')
  const { slug } = await client.upload(jpegBytes(100))
  await client.show(slug)
  await clock.sleep(2_000)
  await witness.delete(slug)
  expect([(await client.show(slug)).slug, sleeps.splice(0)]).toEqual([slug, [2_000]])
  const message = expect.stringMatching(/^GET \S+ was answered from a cache, which proves nothing$/)
  await expect(provingClient(client).show(slug)).rejects.toMatchObject({ code: 'unexpected-response', message })
  expect(sleeps).toHaveLength(5)
})

test.each(['that keeps it', 'that keeps it and does not say so'] as const)(
  'the quota headers of a cache %s teach nothing: no upload waits for a minute that is long over',
  async (kind) => {
    const limits = { ...unlimited, minute: 14 }
    const emulator = { quotas: limits, settings: { soft_delay: 'off' } } as const
    const { client, clock, sleeps } = await behind(kind, { client: { pacing: { limits } }, emulator })
    const ask = (slug: string) => client.show(slug).catch(() => {})
    await client.upload(jpegBytes(100))
    for (const slug of ['a', 'b', 'c']) await ask(slug)
    // It tells that nothing is left of the minute.
    await client.list()
    await clock.sleep(120_000)
    await ask('d')
    await client.list()
    sleeps.length = 0
    await client.upload(jpegBytes(101))
    expect(sleeps).toEqual([])
  },
)

test('another page than the one asked for proves nothing of an upload without an answer', async () => {
  const before = ({ send }: Transport): Transport => ({
    send: (request) => send({ ...request, url: request.url.replace(/\?page=.*/, '') }),
  })
  const rig = await inProcessClient({ before, faults: { POST: [notStored] }, emulator: { settings: { page_size: 1 } } })
  for (const size of [101, 102]) await rig.witness.upload(jpegBytes(size))
  const why = expect.stringContaining('page 2 was asked for, and page 1 came')
  await expect(rig.client.upload(jpegBytes(100))).rejects.toMatchObject({ code: 'outcome-unknown', message: why })
  expect(rig.counts['POST']).toBe(1)
})

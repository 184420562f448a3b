import { describe, expect, test } from 'vitest'
import type { Emulator } from '../../emulator/index.ts'
import {
  type Clock,
  createClient,
  fetchTransport,
  UnknownOutcomeError,
  type Upload,
  type UploadIntent,
  type UploadOptions,
  type UploadState,
} from '../../src/index.ts'
import {
  type ExchangeFault,
  faultyTransport,
  harmless,
  lost as lostTo,
  respond,
  unheard,
  unheeded,
} from '../helpers/faulty-transport.ts'
import { inProcessClient } from '../helpers/in-process-client.ts'
import { jpegBytes } from '../helpers/media.ts'

const named = Object.entries
const json = 'application/json'
const dialects = ['spec', 'laravel', 'hostile'] as const
const ofCut = 'a cut after the whole body'
const [cut, lost] = [unheard[ofCut], unheeded[ofCut]]
const forbidden: ExchangeFault = async () => respond(403, '{"error":"no"}', json)()
/** Reads the whole body and refuses it. */
const refused =
  (error: string): ExchangeFault =>
  async ({ body }) => {
    for await (const _ of body?.chunks() ?? []);
    return respond(429, JSON.stringify({ error }), json)()
  }
function clientOf({ apiKey, fetch }: Emulator, clock: Clock, fault: ExchangeFault | undefined) {
  const { transport } = faultyTransport(fetchTransport(fetch), { POST: [fault] })
  return createClient({ baseUrl: 'http://127.0.0.1', apiKey, pacing: false, clock, transport })
}
const slugsOf = (uploads: readonly Upload[]) => uploads.map(({ slug }) => slug)
const pending = { size: 100, mimeType: 'image/jpeg', endedAt: null, knownSlugs: [] }
/** A client whose uploads meet these faults, one after the other. */
const facing = (...POST: readonly (ExchangeFault | undefined)[]) => inProcessClient({ faults: { POST } })
/** Bytes that look the same and differ in their last byte. */
const marked = (mark: number, length = 100) => {
  const bytes = jpegBytes(length)
  bytes[length - 1] = mark
  return bytes
}

describe.each(dialects)('an upload whose answer never comes, dialect %s', (dialect) => {
  // A service that re-encodes files has its own tests.
  const emulator = { dialect, settings: { reencode: false } }

  /** What a file of 600 kB costs that is stored once in the end. */
  async function costOf(fault: ExchangeFault) {
    const { client, stored, counts } = await inProcessClient({ emulator, faults: { POST: [fault] } })
    const { slug } = await client.upload(jpegBytes(600_000))
    expect(await stored()).toMatchObject([{ slug, size: 600_000 }])
    return counts
  }

  test.each(named(unheard))('is found in the list and not sent again: stored, then %s', async (_, fault) => {
    expect((await costOf(fault))['POST']).toBe(1)
  })

  test.each(named(unheeded))('an upload is proven missing and sent again: %s, nothing stored', async (_, fault) => {
    expect((await costOf(fault))['POST']).toBe(2)
  })

  test.each(named(harmless))('an upload is sent again without reading the list after %s', async (_, fault) => {
    expect(await costOf(fault)).toEqual({ POST: 2 })
  })
})

test('reading the list costs one unit if the upload is found, and two if not', async () => {
  const [found, missing] = [await facing(cut), await facing(lost)]
  await found.client.upload(jpegBytes(100))
  expect([found.counts, found.sleeps]).toEqual([{ POST: 1, GET: 1, site: 1 }, []])
  await missing.client.upload(jpegBytes(100))
  expect([missing.counts, missing.sleeps]).toEqual([{ POST: 2, GET: 2 }, [5_000]])
})

test.each([1, 4_000])('the list is read again for an upload that it shows only after %i ms', async (lag) => {
  const emulator = { settings: { visible_after_ms: lag } }
  const { client, stored, counts } = await inProcessClient({ emulator, faults: { POST: [cut] } })
  const upload = await client.upload(jpegBytes(100))
  expect((await stored()).map(({ slug }) => slug)).toEqual([upload.slug])
  expect(counts).toEqual({ POST: 1, GET: 2, site: 1 })
})

test.each([
  [401, 'Invalid API key.'],
  [403, 'Access suspended by administrator.'],
  [503, 'API temporarily disabled.'],
])('a list refused with %i leaves the outcome unknown, and the error says why', async (status, error) => {
  const refusal = async () => respond(status, JSON.stringify({ error }), json)()
  const { client, counts, stored } = await inProcessClient({
    faults: { POST: [cut], GET: [refusal] },
    client: { retry: { retries: 0 } },
  })
  await expect(client.upload(jpegBytes(100))).rejects.toMatchObject({
    name: 'UnknownOutcomeError',
    message: expect.stringMatching(`cannot be read: .* ${status}: ${error}$`),
    candidates: [],
    intent: { size: 100, mimeType: 'image/jpeg' },
  })
  expect(counts['POST']).toBe(1)
  expect(await stored()).toHaveLength(1)
})

test('the list is read again, 5 s later, where a program that keeps a log cannot tell yet', async () => {
  const { client, stored, counts, clock } = await facing(cut)
  const asked: number[] = []
  const tellApart: UploadOptions['tellApart'] = async ([question]) => {
    asked.push(clock.now())
    const [upload] = question?.candidates ?? []
    return [asked.length < 3 || !upload ? undefined : { type: 'stored', upload }]
  }
  const upload = await client.upload(jpegBytes(100), { tellApart })
  expect(await stored()).toEqual([upload])
  const [first = 0] = asked
  expect({ counts, after: asked.map((at) => at - first) }).toEqual({
    counts: { POST: 1, GET: 3 },
    after: [0, 5_000, 10_000],
  })
})

test.each<[string, number, readonly undefined[]]>([
  ['gives no answer stays open after the usual two readings', 2, []],
  ['never can tell is asked for a minute, and the upload stays open then', 13, [undefined]],
])('an upload whose program %s', async (_, readings, answers) => {
  const { client, counts } = await facing(cut)
  await expect(client.upload(jpegBytes(100), { tellApart: async () => answers })).rejects.toThrow(UnknownOutcomeError)
  expect(counts).toEqual({ POST: 1, GET: readings })
})

test('an upload that is never stored is sent as often as retries allow, counted with its other failures', async () => {
  const before = harmless['a cut before the first byte']
  const { client, counts, stored } = await inProcessClient({
    faults: { POST: [before, lost, before, lost] },
    client: { retry: { retries: 2 } },
  })
  await expect(client.upload(jpegBytes(100))).rejects.toMatchObject({ code: 'connection-failed' })
  expect([counts['POST'], await stored()]).toEqual([3, []])
})

test.each([100, undefined])(
  'a stream of the size %s is found in the list; if it is not stored, the error says that it cannot be sent again',
  async (size) => {
    const source = () => ({ stream: new Blob([jpegBytes(100)]).stream(), name: 's.jpg', ...(size && { size }) })
    const { client, stored, counts } = await facing(cut, lost)
    const { slug } = await client.upload(source())
    await expect(client.upload(source())).rejects.toMatchObject({
      code: 'source-spent',
      message: 's.jpg was not stored, and it is a stream that can only be sent once',
      cause: { code: 'connection-failed' },
    })
    expect([slugsOf(await stored()), counts['POST']]).toEqual([[slug], 2])
  },
)

test('with a service that re-encodes files, a file of another size leaves the outcome unknown, and nothing is sent again', async () => {
  const emulator = { settings: { reencode: true } }
  const { client, counts, stored } = await inProcessClient({ emulator, faults: { POST: [cut] } })
  const error = await client.upload(jpegBytes(100)).catch((thrown) => thrown)
  const uploads = await stored()
  const [{ slug = '', url = '' } = {}] = uploads
  expect(error).toBeInstanceOf(UnknownOutcomeError)
  const told = { message: expect.stringContaining(slug), hint: expect.stringContaining(url), candidates: [{ slug }] }
  expect(error).toMatchObject(told)
  expect([uploads.length, counts['POST']]).toEqual([1, 1])
})

/** The upload after `earlier` others meets a fault, while another program uploads a file of this size. */
async function withForeign(size: number, fault: ExchangeFault | undefined, earlier = 0) {
  const during: ExchangeFault = async (request, service) => {
    await rig.witness.upload(marked(1, size))
    return await (fault?.(request, service) ?? service.send(request))
  }
  const rig = await facing(...Array(earlier), during)
  return rig
}

test('an upload that is lost is told from another program’s of the same look by its bytes', async () => {
  const { client, counts, stored } = await withForeign(100, cut)
  const { slug } = await client.upload(marked(2))
  expect((await stored()).map((upload) => upload.slug === slug)).toEqual([true, false])
  expect(counts['POST']).toBe(1)
})

test('another program’s upload of the same look is never taken for one that was not stored', async () => {
  const { client, counts, stored } = await withForeign(100, lost)
  const error = await client.upload(marked(2)).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(UnknownOutcomeError)
  const slugs = slugsOf(await stored())
  expect(slugs).toHaveLength(1)
  expect(slugsOf(error.candidates)).toEqual(slugs)
  expect(error.message).toContain(slugs.join(', '))
  expect(counts['POST']).toBe(1)
})

test.each([100, 101])(
  'where another program’s upload has %i bytes, one of 100 is sent again once the service has shown that it keeps files',
  async (size) => {
    const { client, stored } = await withForeign(size, lost, 1)
    await client.upload(marked(1, 99))
    const { slug } = await client.upload(marked(2))
    expect((await stored()).map((upload) => upload.slug === slug)).toEqual([true, false, false])
  },
)

test('a lost upload is sent again once the answer to a file of the same look has shown that the service keeps files', async () => {
  const { client, counts, stored } = await withForeign(100, lost)
  const uploads = await Promise.all([2, 3].map((mark) => client.upload(marked(mark))))
  expect(slugsOf(await stored())).toEqual(expect.arrayContaining([...slugsOf(uploads), expect.any(String)]))
  expect(counts['POST']).toBe(3)
})

test('a success that is not the service’s fails it, where the list has only other bytes and the service keeps files', async () => {
  const { client, counts } = await withForeign(100, lostTo(respond(200, '{"error":"Try again."}', json)), 1)
  await client.upload(marked(1, 99))
  await expect(client.upload(marked(2))).rejects.toMatchObject({
    code: 'unexpected-response',
    message: expect.stringMatching(/answered 200 /),
    hint: expect.stringMatching(/^Check the base URL/),
  })
  expect(counts['POST']).toBe(2)
})

test('an upload that the site does not show stays unknown', async () => {
  const { client, counts } = await inProcessClient({
    faults: { POST: [cut], site: Array(9).fill(async () => respond(404, '{}', json)()) },
  })
  await expect(client.upload(marked(1))).rejects.toMatchObject({ candidates: [{ size: 100 }] })
  expect(counts['POST']).toBe(1)
})

test('an upload is found at a site that ignores ranges, for one view', async () => {
  const rangeless: ExchangeFault = ({ headers: { range: _, ...headers }, ...request }, service) =>
    service.send({ ...request, headers })
  const { client, stored } = await inProcessClient({ faults: { POST: [cut], site: Array(9).fill(rangeless) } })
  const { slug } = await client.upload(jpegBytes(100_000))
  expect(await stored()).toMatchObject([{ slug, views: 1 }])
})

test('uploads that the list showed before the attempt are no candidates', async () => {
  const { client, stored, emulator } = await withForeign(101, cut)
  await client.upload(marked(2))
  await emulator.control.clock.advance(10)
  const { slug } = await client.upload(marked(3, 101))
  expect((await stored()).map((upload) => upload.slug === slug)).toEqual([true, false, false])
})

test('uploads that the caller names are no candidates', async () => {
  const { client, witness, stored } = await facing(lost)
  const foreign = await witness.upload(marked(1))
  const { slug } = await client.upload(marked(2), { knownSlugs: [foreign.slug] })
  expect(slugsOf(await stored())).toEqual([slug, foreign.slug])
})

test('files of the same look are sent at the same time, and each finds its own upload', async () => {
  const all = Promise.withResolvers<void>()
  let begun = 0
  const together =
    (fault: ExchangeFault = (request, service) => service.send(request)): ExchangeFault =>
    async (request, service) => {
      begun += 1
      if (begun === 3) all.resolve()
      await all.promise
      return fault(request, service)
    }
  const { client, stored, counts } = await facing(together(cut), together(lost), together(cut), undefined)
  const slugs = slugsOf(await Promise.all([1, 2, 3].map((mark) => client.upload(marked(mark)))))
  expect([new Set(slugs).size, counts['POST'], slugsOf(await stored()).sort()]).toEqual([3, 4, slugs.sort()])
})

test('of one content that both send each gets an upload of its own', async () => {
  const { emulator, clock, stored } = await inProcessClient({})
  const clients = [cut, lost].map((fault) => clientOf(emulator, clock, fault))
  const slugs = slugsOf(await Promise.all(clients.map((client) => client.upload(marked(1)))))
  expect([new Set(slugs).size, slugsOf(await stored()).sort()]).toEqual([2, slugs.sort()])
})

/** One is stored, and answered only after the other, which is lost, has asked for the bytes of what the list shows. */
async function bothInFlight(marks: readonly number[], answered: 'before it has them' | 'after it has them') {
  const [storedOnce, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const late: ExchangeFault = async (request, service) => {
    const response = await service.send(request)
    storedOnce.resolve()
    await asked.promise
    return response
  }
  const gone: ExchangeFault = async (request, service) => {
    await storedOnce.promise
    return await (lost ?? late)(request, service)
  }
  const answering: ExchangeFault = async (request, service) => {
    asked.resolve()
    await uploads[0]
    return service.send(request)
  }
  const faults = answered === 'before it has them' ? { site: [answering] } : { GET: [undefined, answering] }
  const { client, stored } = await inProcessClient({ faults: { POST: [late, gone], ...faults } })
  const uploads = marks.map((mark) => client.upload(marked(mark)))
  return { slugs: slugsOf(await Promise.all(uploads)), stored }
}

test.each([
  [[1, 1], 'before it has them'],
  [[1, 1], 'after it has them'],
  [[1, 2], 'before it has them'],
] as const)(
  'of two files of one look, %j, in flight at once each gets an upload of its own, where one is lost and the other answered %s',
  async (marks, answered) => {
    const { slugs, stored } = await bothInFlight(marks, answered)
    expect([new Set(slugs).size, slugsOf(await stored()).sort()]).toEqual([2, slugs.sort()])
  },
)

test('the wait for the answer to a file of the same look can be aborted', async () => {
  const gate = Promise.withResolvers<void>()
  const waiting = Promise.withResolvers<void>()
  const held: ExchangeFault = (request, service) => gate.promise.then(() => service.send(request))
  const reading: ExchangeFault = (request, service) =>
    service.send(request).finally(() => setImmediate(waiting.resolve))
  const { client, witness } = await inProcessClient({ faults: { POST: [held, lost], site: [reading] } })
  await witness.upload(marked(1))
  const stop = new AbortController()
  const uploads = [2, 3].map((mark) => client.upload(marked(mark), mark === 3 ? { signal: stop.signal } : {}))
  await waiting.promise
  stop.abort()
  await expect(uploads[1]).rejects.toMatchObject({ name: 'AbortError' })
  gate.resolve()
  await uploads[0]
})

test('a new upload is not taken for an earlier one of the same look whose outcome is unknown', async () => {
  const { client, counts } = await inProcessClient({ faults: { POST: [cut, lost], GET: [forbidden] } })
  await expect(client.upload(marked(1))).rejects.toBeInstanceOf(UnknownOutcomeError)
  await expect(client.upload(marked(2))).rejects.toMatchObject({ candidates: [{ size: 100 }] })
  expect(counts['POST']).toBe(2)
})

test('a new upload is not taken for an earlier one of the same look that was refused and aborted', async () => {
  const controller = new AbortController()
  const { client, stored } = await facing(refused('Rate limit exceeded (per hour).'), cut)
  const onEvent = ({ type }: { readonly type: string }) => type === 'wait' && controller.abort()
  const given = client.upload(marked(1), { signal: controller.signal, onEvent })
  await expect(given).rejects.toMatchObject({ name: 'AbortError' })
  expect(await client.upload(marked(2))).toEqual((await stored())[0])
})

test('a service that recognises content answers both with one upload', async () => {
  const emulator = { settings: { duplicate_content: 'same_slug' as const } }
  for (const fault of [cut, lost]) {
    const { client, stored } = await inProcessClient({ emulator, faults: { POST: [undefined, fault] } })
    const first = await client.upload(marked(1))
    expect((await client.upload(marked(1))).slug).toBe(first.slug)
    expect(await stored()).toHaveLength(1)
  }
})

test('onIntent gets plain data before the first byte of each attempt leaves', async () => {
  const told: (UploadIntent | string)[] = []
  const fault: ExchangeFault = async (request, service) => {
    told.push('sending')
    return service.send(request)
  }
  const { client, clock } = await facing(harmless['a cut before the first byte'], fault)
  const began = clock.now()
  await client.upload(marked(1), {
    onBytes: () => told.push('bytes'),
    async onIntent(intent) {
      for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      told.push(intent)
    },
  })
  const times = { startedAt: expect.toSatisfy((at: number) => at >= began), monotonic: expect.any(Number) }
  expect(told).toEqual(['sending', { ...pending, ...times }, 'bytes'])
  expect(JSON.parse(JSON.stringify(told[1]))).toEqual(told[1])
})

test('what is being reconciled is not taken for a lookalike that is sent meanwhile', async () => {
  const gate = Promise.withResolvers<void>()
  const sleeps = [gate.promise]
  const { witness, emulator, clock } = await inProcessClient({})
  const client = clientOf(emulator, { ...clock, sleep: async () => sleeps.shift() }, lost)
  const waiting = Promise.withResolvers<void>()
  const earlier = client.reconcile([{ ...pending, startedAt: clock.now() }], { onWaiting: () => waiting.resolve() })
  await waiting.promise
  const late = await witness.upload(marked(1))
  await expect(client.upload(marked(2))).rejects.toMatchObject({ candidates: [{ slug: late.slug }] })
  gate.resolve()
  expect(await earlier).toMatchObject([{ type: 'ambiguous', candidates: [{ slug: late.slug }] }])
})

test('an onIntent that throws ends the upload with nothing sent', async () => {
  const { client, stored } = await inProcessClient({})
  const full = new Error('no space left')
  const onIntent = () => Promise.reject(full)
  await expect(client.upload(marked(1), { onIntent })).rejects.toBe(full)
  expect(await stored()).toEqual([])
})

test.each([
  ['lost', lost, 0],
  ['refused', refused('Burst limit exceeded. Slow down.'), expect.toSatisfy((ms: number) => ms > 0)],
])('the intent after a %s attempt reaches back to it, if it may appear later', async (_, fault, later) => {
  const starts: number[] = []
  const { client } = await facing(fault)
  await client.upload(marked(1), { onIntent: ({ startedAt }) => starts.push(startedAt) })
  expect(starts.map((at) => at - (starts[0] ?? 0))).toEqual([0, later])
})

type Faults = readonly (ExchangeFault | undefined)[]

/** The intents of a run that ended in the middle of its uploads. */
async function leftBehind(sizes: readonly number[], POST: Faults, lagMs = 0, GET: Faults = []) {
  const intents: UploadIntent[] = []
  const settings = { visible_after_ms: lagMs }
  const { client, ...rest } = await inProcessClient({ emulator: { settings }, faults: { POST, GET } })
  for (const size of sizes) {
    const stop = new AbortController()
    const onEvent = ({ type }: { readonly type: string }) => type === 'failure' && stop.abort()
    await client
      .upload(jpegBytes(size), { signal: stop.signal, onIntent: (intent) => intents.push(intent), onEvent })
      .catch(() => {})
  }
  return { intents: JSON.parse(JSON.stringify(intents)) as UploadIntent[], client, ...rest }
}

test('reconcile finds what was stored and what was not, by reading the list twice for all', async () => {
  const { intents, client, counts, stored } = await leftBehind([100, 101, 102], [cut, lost, cut], 4_000)
  const settled = await client.reconcile(intents, { sources: [100, 101, 102].map((size) => jpegBytes(size)) })
  const [third, first] = await stored()
  const [one, other] = [first, third].map((upload) => ({ type: 'stored', upload }))
  expect([settled, await client.reconcile([])]).toEqual([[one, { type: 'not-stored' }, other], []])
  expect(counts['GET']).toBe(2)
})

test('reconcile reports what it has found where the list cannot be read again for the others, which stay open', async () => {
  const { intents, client, stored } = await leftBehind([100, 101], [cut, lost], 0, [undefined, forbidden])
  const settled = await client.reconcile(intents, { sources: [100, 101].map((size) => jpegBytes(size)) })
  const [upload] = await stored()
  expect(settled).toEqual([
    { type: 'stored', upload },
    { type: 'ambiguous', candidates: [] },
  ])
})

test('reconcile takes no file for ours that another program uploads after a crash', async () => {
  const { intents, witness, client, emulator } = await leftBehind([100], [lost])
  await emulator.control.clock.advance(600_000)
  const { slug } = await witness.upload(marked(1))
  const settled = async (sources?: readonly Uint8Array[]) => await client.reconcile(intents, sources && { sources })
  const open = [{ type: 'ambiguous', candidates: [{ slug }] }]
  expect([await settled(), await settled([marked(2)])]).toMatchObject([open, open])
  expect(await settled([marked(1)])).toMatchObject([{ type: 'stored', upload: { slug } }])
})

test('reconcile finds the upload by the intent of the error once the list can be read', async () => {
  const { client, stored } = await inProcessClient({ faults: { POST: [cut], GET: [forbidden] } })
  const error = await client.upload(jpegBytes(100)).catch((thrown) => thrown)
  const [settled] = await client.reconcile([error.intent], { sources: [jpegBytes(100)] })
  expect(settled).toEqual({ type: 'stored', upload: (await stored())[0] })
})

const byProgram: UploadOptions['tellApart'] = async ([question]) => {
  const [upload] = question?.candidates ?? []
  return [upload && { type: 'stored', upload }]
}

test.each([
  ['its bytes', {}, { POST: 1, GET: 1, site: 1 }],
  ['a program with a log of its own', { tellApart: byProgram }, { POST: 1, GET: 1 }],
])('what was found in the list by %s is not taken for that of an intent', async (_, options, asked) => {
  const { client, clock, counts } = await facing(cut)
  const startedAt = clock.now()
  expect(await client.upload(marked(1), options)).toMatchObject({ size: 100 })
  expect(counts).toEqual(asked)
  expect(await client.reconcile([{ ...pending, startedAt }])).toEqual([{ type: 'not-stored' }])
})

test.each([
  ['stored', cut],
  ['not stored', lost],
])('with a monotonic clock, one that is set at any instant leaves no outcome unknown: %s', async (_, fault) => {
  for (let at = 0; at < 20; at += 1) {
    const { emulator, witness, clock, stored } = await inProcessClient({})
    const lookalike = await witness.upload(marked(1))
    await emulator.control.clock.advance(30_000)
    let asked = 0
    const now = () => clock.now() - (asked++ < at ? 0 : 5_000)
    const { slug } = await clientOf(emulator, { ...clock, now }, fault).upload(marked(2))
    expect(slugsOf(await stored())).toEqual([slug, lookalike.slug])
  }
})

test.each(['failure', 'response'] as const)('an abort at a %s stays an AbortError', async (type) => {
  const controller = new AbortController()
  const onEvent = (event: { readonly type: string }) => event.type === type && controller.abort()
  const { client } = await inProcessClient({ faults: { POST: [lost] }, client: { onEvent } })
  const uploading = client.upload(jpegBytes(100), { signal: controller.signal })
  await expect(uploading).rejects.toMatchObject({ name: 'AbortError' })
})

test.each<[UploadState, string | undefined]>([
  ['waiting', undefined],
  ['sending', 'not-stored'],
  ['sent', 'stored'],
])('an aborted upload whose last state is %s leaves an intent that proves it to be %s', async (at, outcome) => {
  const stop = new AbortController()
  const [states, intents]: [UploadState[], UploadIntent[]] = [[], []]
  const { client } = await facing(async (request, service) => {
    const answer = await service.send(request)
    stop.abort()
    return answer
  })
  const uploading = client.upload(marked(1), {
    signal: stop.signal,
    onIntent: (intent) => intents.push(intent),
    onState(state) {
      states.push(state)
      if (state === at && at !== 'sent') stop.abort()
    },
  })
  await expect(uploading).rejects.toMatchObject({ name: 'AbortError' })
  const [known] = await client.reconcile(intents, { sources: [marked(1)] })
  expect([states.at(-1), known?.type]).toEqual([at, outcome])
})

test('a deletion succeeds if the second one is answered that nothing was deleted', async () => {
  const nothing = async () => respond(200, '{"deleted":false}', json)()
  const { client } = await inProcessClient({ faults: { DELETE: [cut, nothing] } })
  const { slug } = await client.upload(jpegBytes(100))
  await expect(client.delete(slug)).resolves.toBeUndefined()
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Client, type Clock, NotFoundError, type Upload, type UploadPage } from '../../../src/index.ts'
import { confirmPresent, type Wanted } from '../../../src/uploads/known.ts'
import { instantClock } from '../../helpers/instant-clock.ts'
import { uploadObject } from '../../helpers/media.ts'

const PAGE = 50
const never = new AbortController().signal
const startedAt = Date.parse('2026-11-22T10:00:00Z')

/** A service with uploads in the order of their times, the oldest first, that counts what it is asked. */
function createService(uploads: readonly Upload[]) {
  const newestFirst = [...uploads].reverse()
  let units = 0
  return {
    units: () => units,
    async list({ page = 1 }: { page?: number }): Promise<UploadPage> {
      units += 1
      const data = newestFirst.slice((page - 1) * PAGE, page * PAGE)
      const last_page = Math.max(Math.ceil(uploads.length / PAGE), 1)
      return { data, current_page: page, last_page, per_page: PAGE, total: uploads.length } as unknown as UploadPage
    },
    async show(slug: string): Promise<Upload> {
      units += 1
      const upload = uploads.find((candidate) => candidate.slug === slug)
      if (upload === undefined) throw new NotFoundError('not there')
      return upload
    },
  }
}

const accountOf = (client: Pick<Client, 'list' | 'show'>, clock: Clock = instantClock()) =>
  ({ client, context: { clock, note() {} } }) as never

interface Made {
  readonly slug: string
  /** Seconds after the start. */
  readonly second: number
}

function stored({ slug, second }: Made): Upload {
  return { ...uploadObject, slug, created_at: new Date(startedAt + second * 1_000).toISOString() }
}

const wantedOf = ({ slug, second }: Made, skewMs = 0): Wanted => ({
  slug,
  at: startedAt + second * 1_000 - skewMs,
  isUnlisted: false,
})
const series = (count: number, prefix: string, from = 0, step = 6): readonly Made[] =>
  Array.from({ length: count }, (_, index) => ({ slug: `${prefix}${index}`, second: from + index * step }))

async function unitsFor(mine: readonly Made[], all: readonly Made[], skewMs = 0) {
  const wanted = mine.map((made) => wantedOf(made, skewMs))
  const service = createService([...all].sort((a, b) => a.second - b.second).map(stored))
  const found = await confirmPresent(wanted, accountOf(service), never)
  const there = new Set(all.map(({ slug }) => slug))
  expect(new Set(found.keys())).toEqual(new Set(wanted.map(({ slug }) => slug).filter((slug) => there.has(slug))))
  return service.units()
}

describe('asking the service for known uploads', () => {
  test('costs one unit for one upload, and none for none', async () => {
    const all = series(200, 'a')
    expect(await unitsFor([{ slug: 'a7', second: 42 }], all)).toBe(1)
    expect(await unitsFor([], all)).toBe(0)
  })

  test('costs at most 22 units for 1,000 uploads with a few newer ones of others, and a clock that is an hour off', async () => {
    const mine = series(1_000, 'm', 60_000)
    const all = [...series(5_000, 'old'), ...mine, ...series(30, 'new', 70_000)]
    expect(await unitsFor(mine, all, 3_600_000)).toBeLessThanOrEqual(22)
  })

  test('costs at most eight units more than one each where all of them are gone from a long list', async () => {
    const gone = series(40, 'gone', 3, 750)
    expect(await unitsFor(gone, series(5_000, 'a'))).toBeLessThanOrEqual(gone.length + 8)
  })

  test('reads on where the service tells times without their zone', async () => {
    const all = series(200, 'a')
    const service = createService(all.map((made) => ({ ...stored(made), created_at: '2026-11-22 10:00:00' })))
    const wanted = all.map((made) => wantedOf(made))
    const found = await confirmPresent(wanted, accountOf(service), never)
    expect([found.size, service.units()]).toEqual([200, 4])
  })

  test('asks once more, 5 s later, for a recent upload that a service with a lag does not show yet', async () => {
    const [made] = series(1, 'a')
    if (made === undefined) throw new Error('there is no upload')
    let isVisible = false
    const sleep = async (ms: number) => {
      expect(ms).toBe(5_000)
      isVisible = true
    }
    const service = createService([stored(made)])
    const lagging = {
      ...service,
      show: (slug: string) => (isVisible ? service.show(slug) : createService([]).show(slug)),
    }
    const wanted = [{ ...wantedOf(made), isUnlisted: true }]
    const found = await confirmPresent(wanted, accountOf(lagging, { ...instantClock(), sleep }), never)
    expect([...found.keys()]).toEqual(['a0'])
  })

  test('throws a failure that is not the service saying that the upload is gone', async () => {
    const failing = { ...createService([]), show: () => Promise.reject(new Error('500')) }
    await expect(confirmPresent([wantedOf({ slug: 'a', second: 0 })], accountOf(failing), never)).rejects.toThrow('500')
  })
})

test('in lists and records of any times each upload is found or missing as it is, at five units more than one each at most', async () => {
  const made = fc.uniqueArray(fc.nat(20_000), { maxLength: 400 })
  await fc.assert(
    fc.asyncProperty(
      made,
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: -90, max: 90 }),
      async (seconds, nth, skew) => {
        const all = seconds.map((second) => ({ slug: `s${second}`, second }))
        const mine = all.filter((_, index) => index % nth === 0)
        const gone = series(5, 'gone', 500, 3_000)
        const wanted = [...mine, ...gone]
        expect(await unitsFor(wanted, all, skew * 60_000)).toBeLessThanOrEqual(wanted.length + 5)
      },
    ),
  )
})

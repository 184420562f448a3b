import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eachPage, ShiftingListError } from '../../../src/client/each-page.ts'
import { NotFoundError, UnexpectedResponseError } from '../../../src/client/errors.ts'
import type { ReadAheadOptions, ReadPage } from '../../../src/client/read-ahead.ts'
import type { Upload, UploadPage } from '../../../src/index.ts'
import { uploadObject } from '../../helpers/media.ts'

/** A list of this many uploads, five a page, that `change` changes after so many pages were read. */
function shiftingList(count: number, change: (slugs: string[], read: number) => void, per_page = 5) {
  const slugs = Array.from({ length: count }, (_, index) => `s${index}`)
  const pages: number[] = []
  const readPage = async (number: number): Promise<UploadPage> => {
    const last_page = Math.max(1, Math.ceil(slugs.length / per_page))
    const data = slugs
      .slice((number - 1) * per_page, number * per_page)
      .map((slug): Upload => ({ ...uploadObject, slug }))
    const page = { current_page: number, data, last_page, per_page, total: slugs.length } as unknown as UploadPage
    pages.push(number)
    change(slugs, pages.length)
    return page
  }
  return { readPage, slugs, pages }
}

async function read(readPage: ReadPage, options: ReadAheadOptions = {}) {
  const seen: string[] = []
  try {
    for await (const page of eachPage(readPage, options)) seen.push(...page.map(({ slug }) => slug))
    return { seen, error: undefined }
  } catch (error) {
    return { seen, error }
  }
}

test('an upload that a deletion pulls onto the page before is read, in its place', async () => {
  const { readPage, pages } = shiftingList(14, (slugs, count) => {
    if (count === 1) slugs.splice(2, 1)
  })
  const { seen } = await read(readPage)
  expect(seen).toEqual(Array.from({ length: 14 }, (_, index) => `s${index}`))
  expect(pages).toEqual([1, 2, 1, 3])
})

test('a page that may not follow on the one before is read again, and what it showed is not lost', async () => {
  const { readPage, slugs } = shiftingList(12, (all, count) => {
    if (count === 1) all.splice(6, 1)
    if (count === 3) all.splice(3, 1)
    if (count === 4) all.splice(0, all.length, 'new', ...all.toSpliced(9, 1))
  })
  expect((await read(readPage)).seen).toEqual(expect.arrayContaining(slugs.filter((slug) => slug !== 'new')))
})

test('a list that grows is read once', async () => {
  const { readPage, pages } = shiftingList(14, (slugs, count) => slugs.unshift(`new${count}`))
  const { seen } = await read(readPage)
  expect([pages, seen.filter((slug) => slug.startsWith('s')).length]).toEqual([[1, 2, 3, 4], 14])
})

/** A list of these pages, the last one again and again, that states so many pages and uploads. */
const given = (pages: readonly (readonly string[])[], last: (number: number) => number, total: number) => {
  const { readPage, pages: asked } = shiftingList(0, () => {})
  const read = async (number: number) => {
    const current_page = Math.min(number, pages.length)
    const slugs = pages[current_page - 1] ?? []
    const data = slugs.map((slug): Upload => ({ ...uploadObject, slug }))
    return { ...(await readPage(number)), current_page, data, last_page: last(number), total }
  }
  return { read, asked }
}
const numbered = Array.from({ length: 200 }, (_, index) => [`s${index}`])

test.each([
  ['is answered the same for any page ends', [['a']], () => 1e6, 1, 2, undefined],
  ['is answered the same for any page, and counts more, fails', [['a']], () => 1e6, 3, 2, 'page 2 was asked for, and'],
  ['has an empty page ends there', [['a'], []], () => 9, 1, 2, undefined],
  ['has an empty page too soon fails', [['a'], []], () => 9, 3, 2, 'the list ended after 1 of 3'],
  ['has fewer pages than uploads fails', [['a']], () => 1, 3, 1, 'the list ended after 1 of 3'],
  ['repeats full pages under other numbers fails', Array(3).fill([...'abcde']), () => 3, 12, 3, 'ended after 5 of 12'],
  [
    'brings nothing new thrice fails',
    Array(9).fill(['a', 'b']),
    () => 1e6,
    2,
    4,
    '3 pages in a row brought nothing new',
  ],
  ['grows without end fails', numbered, (number: number) => number + 1, 3, 102, 'first page counted 2 pages'],
  ['shifts three times is read', [['c'], ['c'], ['c'], ['b']], () => 4, 3, 4, undefined],
  ['grows by a hundred pages is read', numbered, (number: number) => (number === 1 ? 2 : 101), 3, 101, undefined],
] as const)('a list that %s', async (_, pages, last, total, count, message) => {
  const { read: readPage, asked } = given(pages, last, total)
  const { error } = await read(readPage)
  expect([asked.length, error]).toEqual([
    count,
    message && expect.objectContaining({ message: expect.stringContaining(message) }),
  ])
})

test.each([0, 7])('the first page is no other one either, with %d read ahead', async (ahead) => {
  const { readPage } = shiftingList(12, () => {})
  const { seen, error } = await read((number) => readPage(number === 1 ? 2 : number), { ahead })
  const message = 'Uploads may be missing: page 1 was asked for, and page 2 came'
  expect([seen, error]).toEqual([[], expect.objectContaining({ code: 'unexpected-response', message })])
})

/** Chance with a seed. @returns a whole number below `limit` */
let state = 1
const below = (limit: number) => {
  state = (state * 48_271) % 2_147_483_647
  return state % limit
}
const remove = (slugs: string[]) => slugs.splice(below(slugs.length + 1), 1)
const add = (slugs: string[]) => slugs.unshift(`new${state}`)
const both = (slugs: string[]) => [add(slugs), remove(slugs)]
/** What happens between two looks, and how often at most. */
const changes = [
  ['is deleted', [remove], 100],
  ['is added', [add], 100],
  ['is added as another is deleted', [both], 100],
  ['happens twice', [remove, add, both], 2],
] as const

test.each(changes.flatMap((change) => [0, 1, 7].map((ahead) => [ahead, ...change] as const)))(
  'with %d pages read ahead, every upload that stays is read once, whatever %s meanwhile',
  async (ahead, _, kinds, times) => {
    for (let story = 0; story < 200; story += 1) {
      const { readPage, slugs } = shiftingList(20 + below(400), () => {}, 20)
      const often = 3 + below(12)
      let left = times
      // Pages that are under way together are looked at in any order.
      const passes = async () => {
        for (let moments = below(8); moments >= 0; moments -= 1) {
          await undefined
          if (left > 0 && below(often) === 0) {
            left -= 1
            kinds[below(kinds.length)]?.(slugs)
          }
        }
      }
      const look = async (number: number) => {
        await passes()
        const page = await readPage(number)
        await passes()
        return page
      }
      const { seen, error } = await read(look, { ahead })
      expect(error).toBeUndefined()
      expect(new Set(seen).size).toBe(seen.length)
      expect([story, ...slugs.filter((slug) => slug.startsWith('s') && !seen.includes(slug))]).toEqual([story])
    }
  },
)

test('a page that is not there any more ends the list once the page before is read again', async () => {
  const { readPage, slugs } = shiftingList(11, (list, count) => {
    if (count === 2) list.splice(0, 3)
  })
  const strict = async (number: number) => {
    if (number > Math.ceil(slugs.length / 5)) throw new NotFoundError('beyond the last page', { status: 404 })
    return await readPage(number)
  }
  const { seen, error } = await read(strict)
  expect([error, seen]).toEqual([undefined, expect.arrayContaining(slugs)])
})

test('a list whose total falls all the time is read to its end, which then says that uploads may be missing', async () => {
  const { readPage, slugs, pages } = shiftingList(100, () => {})
  const { seen, error } = await read(async (number) => {
    const page = await readPage(number)
    return { ...page, total: 1_000_000 - 6 * pages.length }
  })
  expect([error, seen]).toEqual([expect.any(ShiftingListError), slugs])
  expect([error instanceof UnexpectedResponseError, pages.length < 300]).toEqual([true, true])
})

/** Reads a list with pages ahead. @returns the pages asked for, in that order, and the most under way at once */
async function readAhead(
  count: number,
  options: ReadAheadOptions & { readonly until?: number },
  answer: (page: UploadPage, asked: readonly number[]) => UploadPage = (page) => page,
) {
  const { readPage, slugs } = shiftingList(count, () => {})
  const [asked, aborted]: [number[], number[]] = [[], []]
  let [underWay, most] = [0, 0]
  const look: ReadPage = async (number, signal) => {
    asked.push(number)
    underWay += 1
    most = Math.max(most, underWay)
    await setImmediate()
    underWay -= 1
    if (signal?.aborted) aborted.push(number)
    return answer(await readPage(number), asked)
  }
  const seen: string[] = []
  const error = await (async () => {
    for await (const page of eachPage(look, options)) {
      seen.push(...page.map(({ slug }) => slug))
      if (seen.length >= (options.until ?? Number.POSITIVE_INFINITY)) break
    }
  })().catch((reason: unknown) => reason)
  await setImmediate()
  return { asked, aborted, most, error, isWhole: seen.join() === slugs.join() }
}
const pages = (last: number) => Array.from({ length: last }, (_, index) => index + 1)

test('as many pages are asked for ahead as have come, and no more than may be or are wanted', async () => {
  expect(await readAhead(61, { ahead: 5 })).toMatchObject({ asked: pages(13), most: 6, isWhole: true })
  expect(await readAhead(61, { ahead: 5, most: 22, until: 22 })).toMatchObject({ asked: pages(5), aborted: [] })
  expect(await readAhead(61, { ahead: 5, until: 10 })).toMatchObject({ asked: pages(3), aborted: [3] })
  expect(await readAhead(61, { ahead: 5, until: 1 })).toMatchObject({ asked: [1] })
})

test('a list that states pages without number is read ahead no further than its uploads go', async () => {
  const endless = await readAhead(14, { ahead: 5 }, (page) => ({ ...page, last_page: 1e9 }))
  expect(endless).toMatchObject({ asked: [1, 2, 3, 4], isWhole: true, error: undefined })
  const empty = await readAhead(14, { ahead: 5 }, (page) => ({ ...page, last_page: 1e9, total: 1e9 }))
  expect(empty.asked.length).toBeLessThan(12)
  const same = await readAhead(5, { ahead: 5 }, (page) => ({ ...page, current_page: 1, last_page: 9, total: 45 }))
  expect(same.asked).toEqual([1, 2, 3])
})

test('a page read ahead that fails or states another total is read again alone, and so are all behind it', async () => {
  const [failing, other] = [new Error('failed'), 62].map((what) =>
    readAhead(61, { ahead: 3 }, (page, asked) => {
      if (page.current_page !== 4 || asked.filter((number) => number === 4).length > 1) return page
      if (typeof what === 'number') return { ...page, total: what }
      throw what
    }),
  )
  const again = { error: undefined, isWhole: true, asked: [1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13] }
  expect(await failing).toMatchObject(again)
  expect(await other).toMatchObject(again)
})

test('a page that fails alone ends the list with its error, and what is under way is given up', async () => {
  const failing = await readAhead(61, { ahead: 5 }, (page) => {
    if (page.current_page < 2) return page
    throw new Error('failed')
  })
  expect(failing).toMatchObject({ asked: [1, 2, 3], error: new Error('failed') })
})

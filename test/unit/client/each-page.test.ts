import { expect, test } from 'vitest'
import { eachPage, IncompleteListError } from '../../../src/client/each-page.ts'
import { UnexpectedResponseError } from '../../../src/client/errors.ts'
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

async function read(readPage: (page: number) => Promise<UploadPage>) {
  const seen: string[] = []
  try {
    for await (const page of eachPage(readPage)) seen.push(...page.map(({ slug }) => slug))
    return { seen, error: undefined }
  } catch (error) {
    return { seen, error }
  }
}

test('an upload that a deletion pulls onto the page before is read', async () => {
  const { readPage, pages } = shiftingList(14, (slugs, count) => {
    if (count === 1) slugs.splice(2, 1)
  })
  const { seen } = await read(readPage)
  expect(seen.toSorted()).toEqual(Array.from({ length: 14 }, (_, index) => `s${index}`).sort())
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

test('the first page is no other one either', async () => {
  const { readPage } = shiftingList(12, () => {})
  const { seen, error } = await read((number) => readPage(number === 1 ? 2 : number))
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
  ['is deleted, or is added, once each', [remove, add], 2],
] as const

test.each(changes)('every upload that stays is read once, whatever %s meanwhile', async (_, kinds, times) => {
  for (let story = 0; story < 200; story += 1) {
    const { readPage, slugs } = shiftingList(20 + below(400), () => {}, 20)
    const often = 3 + below(12)
    let left = times
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
    const { seen, error } = await read(look)
    expect(error).toBeUndefined()
    expect(new Set(seen).size).toBe(seen.length)
    expect([story, ...slugs.filter((slug) => slug.startsWith('s') && !seen.includes(slug))]).toEqual([story])
  }
})

test('a page that is not there though the list has become no shorter fails the list, and the first one at once', async () => {
  for (const [missing, asked] of [
    [1, [1]],
    [2, [1, 2, 1, 2]],
  ] as const) {
    const { readPage } = shiftingList(11, () => {})
    const pages: number[] = []
    const gone = new UnexpectedResponseError('no such page', { status: 404 })
    const { error } = await read(async (number) => {
      pages.push(number)
      if (number === missing) throw gone
      return await readPage(number)
    })
    expect([error, pages]).toEqual([gone, asked])
  }
})

test('a list whose total falls all the time is read to its end, which then says that uploads may be missing', async () => {
  const { readPage, slugs, pages } = shiftingList(100, () => {})
  const { seen, error } = await read(async (number) => {
    const page = await readPage(number)
    return { ...page, total: 1_000_000 - 6 * pages.length }
  })
  expect([error, seen]).toEqual([expect.any(IncompleteListError), slugs])
  expect(error).toMatchObject({ message: expect.stringContaining('others were deleted all the time') })
  expect([error instanceof UnexpectedResponseError, pages.length < 300]).toEqual([true, true])
})

import { expect, test } from 'vitest'
import { eachPage, ShiftingListError } from '../../../src/client/each-page.ts'
import { NotFoundError, UnexpectedResponseError } from '../../../src/client/errors.ts'
import type { Upload, UploadPage } from '../../../src/index.ts'
import { uploadObject } from '../../helpers/media.ts'

/** A list of this many uploads, five a page, that `change` changes after so many pages were read. */
function shiftingList(count: number, change: (slugs: string[], read: number) => void) {
  const slugs = Array.from({ length: count }, (_, index) => `s${index}`)
  const pages: number[] = []
  const readPage = async (number: number): Promise<UploadPage> => {
    const last_page = Math.max(1, Math.ceil(slugs.length / 5))
    const data = slugs.slice((number - 1) * 5, number * 5).map((slug): Upload => ({ ...uploadObject, slug }))
    const page = { current_page: number, data, last_page, per_page: 5, total: slugs.length } as unknown as UploadPage
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

test('an upload that a deletion pulls onto the page before is read, in its place', async () => {
  const { readPage, pages } = shiftingList(14, (slugs, count) => {
    if (count === 1) slugs.splice(2, 1)
  })
  const { seen } = await read(readPage)
  expect(seen).toEqual(Array.from({ length: 14 }, (_, index) => `s${index}`))
  expect(pages).toEqual([1, 2, 1, 3])
})

test('a list that grows is read once', async () => {
  const { readPage, pages } = shiftingList(14, (slugs, count) => slugs.unshift(`new${count}`))
  const { seen } = await read(readPage)
  expect([pages, seen.filter((slug) => slug.startsWith('s')).length]).toEqual([[1, 2, 3, 4], 14])
})

/** A list of these pages, the last one again and again, that states so many pages. */
const given = (pages: readonly (readonly string[])[], last: (number: number) => number) => {
  const { readPage, pages: asked } = shiftingList(0, () => {})
  const read = async (number: number) => {
    const current_page = Math.min(number, pages.length)
    const slugs = pages[current_page - 1] ?? []
    const data = slugs.map((slug): Upload => ({ ...uploadObject, slug }))
    return { ...(await readPage(number)), current_page, data, last_page: last(number), total: 3 }
  }
  return { read, asked }
}
const numbered = Array.from({ length: 200 }, (_, index) => [`s${index}`])

test.each([
  ['is answered the same for any page ends', [['a']], () => 1e6, 2, undefined],
  ['has an empty page ends there', [['a'], []], () => 9, 2, undefined],
  [
    'brings nothing new three times fails',
    Array(9).fill(['a', 'b']),
    () => 1e6,
    4,
    '3 pages in a row brought nothing new',
  ],
  ['grows without end fails', numbered, (number: number) => number + 1, 102, 'first page counted 2 pages'],
  ['shifts three times is read', [['c'], ['c'], ['c'], ['b']], () => 4, 4, undefined],
  ['grows by a hundred pages is read', numbered, (number: number) => (number === 1 ? 2 : 101), 101, undefined],
] as const)('a list that %s', async (_, pages, last, count, message) => {
  const { read: readPage, asked } = given(pages, last)
  const { error } = await read(readPage)
  expect([asked.length, error]).toEqual([
    count,
    message && expect.objectContaining({ message: expect.stringContaining(message) }),
  ])
})

test('every upload that stays is read once, whatever is deleted or added between two pages', async () => {
  let state = 1
  const below = (limit: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % limit
  }
  for (let story = 0; story < 400; story += 1) {
    const deletions = 1 + below(7)
    const { readPage, slugs } = shiftingList(20 + below(80), (list, count) => {
      if (story % 2 === 1 && below(4) === 0) list.unshift(`new${count}`)
      else for (let left = below(deletions); left > 0; left -= 1) list.splice(below(list.length + 1), 1)
    })
    const { seen, error } = await read(readPage)
    expect(error).toBeUndefined()
    expect(new Set(seen).size).toBe(seen.length)
    expect([story, ...slugs.filter((slug) => slug.startsWith('s') && !seen.includes(slug))]).toEqual([story])
  }
})

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

import { expect, test } from 'vitest'
import { paginate, parsePage, queryWithoutPage } from '../../../../emulator/api/pages.ts'
import { jsonText } from '../../../../emulator/api/response.ts'
import { createSettings } from '../../../../emulator/settings/settings.ts'
import { uploadObject } from '../../../helpers/media.ts'

function pageOf(total: number, page: number) {
  const items = Array.from({ length: Math.max(Math.min(total - (page - 1) * 50, 50), 0) }, () => uploadObject)
  const place = { path: 'http://h/api/uploads', query: '', settings: createSettings().current }
  return paginate(items, { page, perPage: 50, total, ...place })
}

const compactJson = (value: unknown) => jsonText(value, 'laravel')

const entry = (page: number | null, label: string, active = false) =>
  `{"url":${page === null ? 'null' : `"http:\\/\\/h\\/api\\/uploads?page=${page}"`},"label":"${label}","active":${active}}`

/** Numbers and gaps separated by blanks, the active one between asterisks. */
const entries = (text: string) =>
  text.split(' ').map((label) => {
    const number = label.replaceAll('*', '')
    return entry(number === '...' ? null : Number(number), number, label !== number)
  })

test.each<[number, number, number | null, string, number | null]>([
  [0, 1, null, '*1*', null],
  [50, 1, null, '*1*', null],
  [51, 1, null, '*1* 2', 2],
  [650, 1, null, '*1* 2 3 4 5 6 7 8 9 10 11 12 13', 2],
  [700, 1, null, '*1* 2 3 4 5 6 7 8 9 10 ... 13 14', 2],
  [1_000, 8, 7, '1 2 ... 5 6 7 *8* 9 10 11 ... 19 20', 9],
  [1_000, 14, 13, '1 2 ... 11 12 13 *14* 15 16 17 18 19 20', 15],
  [1_000, 25, 24, '1 2 ... 11 12 13 14 15 16 17 18 19 20', null],
  [0, 3, 2, '1', null],
])('silence 22: the links of %d uploads at page %d, byte for byte', (total, page, before, numbers, after) => {
  const links = [entry(before, '\\u00ab Previous'), ...entries(numbers), entry(after, 'Next \\u00bb')]
  expect(compactJson(pageOf(total, page).links)).toBe(`[${links.join(',')}]`)
})

const noInteger = 'The page field must be an integer.'
const tooSmall = 'The page field must be at least 1.'

test.each<[string | null | undefined, number | string]>([
  [undefined, 1],
  ['', 1],
  [null, noInteger],
  ['02', noInteger],
  ['9223372036854775808', noInteger],
  ['-1', tooSmall],
  ['+2', 2],
  [' 2 ', 2],
  ['\u00a02', noInteger],
  ['9'.repeat(65_536), noInteger],
  ['9223372036854775807', Number.MAX_SAFE_INTEGER],
])('the page parameter %j is %j', (value, page) => {
  expect(parsePage(value)).toBe(page)
})

test.each([
  ['page=2', ''],
  ['api_key=k&page=2&x=1', 'api_key=k&x=1&'],
  ['pages=1&q=a%20b&page', 'pages=1&q=a%20b&'],
])('page URLs of the query %j keep %j', (query, kept) => {
  expect(queryWithoutPage(query)).toBe(kept)
})

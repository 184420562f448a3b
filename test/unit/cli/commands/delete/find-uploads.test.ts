import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readListedUploads } from '../../../../../src/cli/choice/choose.ts'
import { findUploads } from '../../../../../src/cli/choice/names.ts'
import { NotFoundError, type Upload } from '../../../../../src/index.ts'
import { uploadObject } from '../../../../helpers/media.ts'

const { signal } = new AbortController()
const missing = new NotFoundError('Not found')

/** An account with so many uploads, `s0` the newest, and what was asked of it. */
function account(count: number) {
  const uploads = Array.from({ length: count }, (_, index) => ({ ...uploadObject, slug: `s${index}` }))
  const asked: string[] = []
  return {
    asked,
    async list({ page = 1 } = {}) {
      asked.push(`page ${page}`)
      const data = uploads.slice((page - 1) * 50, page * 50)
      return { data, current_page: page, last_page: Math.max(1, Math.ceil(count / 50)) } as never
    },
    async show(slug: string): Promise<Upload> {
      asked.push(slug)
      const upload = uploads.find((one) => one.slug === slug)
      if (upload === undefined) throw missing
      return upload
    },
  }
}

function slugs(...numbers: readonly number[]): readonly string[] {
  return numbers.map((number) => `s${number}`)
}

test.each([
  ['a few slugs one by one', 500, slugs(0, 900, 499), ['s0', 's900', 's499']],
  ['many slugs in the list, up to the last one', 500, slugs(1, 2, 3, 4, 5, 6, 7, 49), ['page 1']],
  ['the rest one by one where fewer than the pages', 5_000, slugs(0, 1, 2, 3, 4, 4_000), ['page 1', 's4000']],
  ['each that the list lacks, since it may have moved', 20, slugs(0, 1, 2, 3, 4, 99), ['page 1', 's99']],
])('findUploads looks up %s', async (_, count, wanted, asked) => {
  const service = account(count)
  const found = await findUploads(wanted, service, signal)
  expect([service.asked, [...found.keys()]]).toEqual([asked, wanted])
  for (const [slug, one] of found) expect(one instanceof NotFoundError).toBe(Number(slug.slice(1)) >= count)
})

test('findUploads sends at most one request per slug, and few more than there are pages', async () => {
  const wanted = fc.uniqueArray(fc.nat(999), { minLength: 1, maxLength: 80 })
  await fc.assert(
    fc.asyncProperty(wanted, async (numbers) => {
      const service = account(1_000)
      const found = await findUploads(slugs(...numbers), service, signal)
      expect([...found.keys()]).toEqual(slugs(...numbers))
      expect([...found.values()].every((one) => !(one instanceof Error))).toBe(true)
      const most = numbers.length <= 5 ? numbers.length : 1 + Math.min(numbers.length, 19)
      expect(service.asked.length).toBeLessThanOrEqual(most)
    }),
    { numRuns: 50 },
  )
})

test('findUploads reads no more pages of an endless list than there are slugs', async () => {
  const service = { ...account(0), list: async ({ page = 1 } = {}) => ({ data: [], last_page: page + 1 }) as never }
  await findUploads(slugs(0, 1, 2, 3, 4, 5), service, signal)
  expect(service.asked).toEqual(slugs(0, 1, 2, 3, 4, 5))
})

test('findUploads throws the error of a lookup that fails for another reason than 404', async () => {
  const service = { ...account(9), show: () => Promise.reject(new TypeError('no way')) }
  await expect(findUploads(slugs(1), service, signal)).rejects.toThrow('no way')
})

test('slugs are read one per line, without the text after a tab', async () => {
  const text = '\ufeffaB3\r\n\r\n  kL1  \nmN4\thttp://h/i/mN4\nhttp://h/i/pQ7.jpg'
  const listed = await readListedUploads(Readable.from([Buffer.from(text)]), signal)
  expect(listed.map(({ slug }) => slug)).toEqual(['aB3', 'kL1', 'mN4', 'pQ7'])
})

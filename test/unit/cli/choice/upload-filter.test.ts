import { expect, test } from 'vitest'
import { isMeant, matchingUploads, type UploadFilter } from '../../../../src/cli/choice/filter.ts'
import type { Upload } from '../../../../src/index.ts'
import { uploadObject } from '../../../helpers/media.ts'

const created_at = '2026-11-20T12:00:00+02:00'
const upload: Upload = { ...uploadObject, mime_type: 'image/jpeg', size: 1_000, created_at }
const at = Date.parse('2026-11-20T10:00:00Z')
const nameOf = ({ title }: Pick<Upload, 'title'>) => title

test.each<readonly [UploadFilter, Partial<Upload>, boolean]>([
  [{ type: 'image' }, { mime_type: 'IMAGE/PNG; q=1' }, true],
  [{ type: 'image' }, { mime_type: 'imagery/png' }, false],
  [{ type: 'image/png' }, {}, false],
  [{ since: at }, {}, true],
  [{ since: at + 1 }, {}, false],
  [{ before: at }, {}, false],
  [{ before: at + 1 }, {}, true],
  [{ olderThan: at }, {}, false],
  [{ since: at }, { created_at: '2026-11-20 10:00:00.5Z' }, true],
  [{ larger: 1_000 }, {}, false],
  [{ larger: 999, smaller: 1_001 }, {}, true],
  [{ smaller: 1_000 }, {}, false],
  [{ name: (name) => name === 'Beach' }, { title: 'Beach' }, true],
  [{ name: () => true }, { title: null }, false],
  [{ before: at + 1 }, { created_at: '2026-11-20T10:00:00' }, false],
  [{ before: at + 1, larger: 5_000 }, { created_at: 'banana' }, false],
])('whether %j means an upload of %j: %j', (filter, changes, verdict) => {
  expect(isMeant({ ...upload, ...changes }, filter, nameOf)).toBe(verdict)
})

/** Reads a list of these pages of times; says which were read. */
async function matchingOf(filter: UploadFilter, pages: readonly (readonly string[])[]) {
  const read: number[] = []
  const client = {
    async list({ page = 1 } = {}) {
      read.push(page)
      const data = (pages[page - 1] ?? []).map((created_at, at) => ({ ...upload, slug: `${page}-${at}`, created_at }))
      return { data, current_page: page, last_page: pages.length, per_page: 2, total: pages.flat().length } as never
    },
  }
  const { signal } = new AbortController()
  const found: string[] = []
  for await (const { slug } of matchingUploads(filter, { client, nameOf, signal })) found.push(slug)
  return { found, read: read.length }
}

const hours = (...ago: readonly number[]) => ago.map((count) => new Date(at - count * 3_600_000).toISOString())

test('--since reads no more pages after one whose uploads are all too old, by more than clocks are set back', async () => {
  const pages = [hours(0, 1), hours(2, 3), hours(3.5, 4.5), hours(6, 7), hours(8, 9)]
  const { found, read } = await matchingOf({ since: at - 2 * 3_600_000 }, pages)
  expect([found, read]).toEqual([['1-0', '1-1', '2-0'], 4])
})

test('--since finds an upload whose local hour came twice, and one on a page of a disordered list', async () => {
  const { found } = await matchingOf({ since: at - 3_600_000 }, [hours(0, 1.5), hours(0.9, 2)])
  expect(found).toEqual(['1-0', '2-0'])
  expect((await matchingOf({ since: at - 3_600_000 }, [hours(9, 0)])).found).toEqual(['1-1'])
})

test('uploads whose time cannot be read match no time', async () => {
  const { found, read } = await matchingOf({ before: at + 1 }, [['banana', ...hours(1)], [''], hours(2)])
  expect([found, read]).toEqual([['1-1', '3-0'], 3])
})

import { expect, test } from 'vitest'
import { createListLook, type ListLookTools } from '../../../../src/contents/fleet/list-look.ts'
import type { Upload } from '../../../../src/index.ts'
import type { SeenUpload } from '../../../../src/store/upload-store.ts'
import { instantClock } from '../../../helpers/instant-clock.ts'
import { uploadObject } from '../../../helpers/media.ts'

const hoursAgo = (hours: number) => new Date(Date.parse('2026-11-20T12:00:00Z') - hours * 3_600_000).toISOString()

/**
 * Looks for a file of 7 bytes, which upload `c` has, while `b` is deleted after the first page was read.
 * @param ages of the four uploads, in hours before the service's time
 */
async function lookedUp(likeness: 'same' | 'unknown', { ages = [0, 0, 0, 0], aheadMs = 0 } = {}) {
  let stored: readonly Upload[] = [...'abcd'].map((slug, index) => ({
    ...uploadObject,
    slug,
    size: slug === 'c' ? 7 : 5,
    created_at: hoursAgo(ages[index] ?? 0),
  }))
  const list = async ({ page = 1 } = {}) => {
    const total = stored.length
    const data = stored.slice(2 * page - 2, 2 * page)
    if (page === 1) stored = stored.filter(({ slug }) => slug !== 'b')
    return { data, total, per_page: 2, current_page: page, last_page: Math.ceil(total / 2) }
  }
  const clock = instantClock(Date.parse('2026-11-20T12:00:00Z') + aheadMs)
  const found: string[] = []
  const look = createListLook({
    client: { list },
    store: { owners: async () => new Map(), seen: async ({ upload: { slug } }: SeenUpload) => found.push(slug) },
    fleet: { memory: () => undefined },
    owners: async () => new Map(),
    context: { clock, interruption: { stopping: new AbortController().signal } },
  } as unknown as ListLookTools)
  const file = { label: '/f.jpg', path: '/f.jpg', content: { size: 7, sha256: '0'.repeat(64) } }
  const lookalikes = { compare: async (_: unknown, uploads: readonly Upload[]) => uploads.map(() => likeness) }
  await look(file, true, { lookalikes }, new AbortController().signal)
  return found
}

test('a deletion between two pages does not hide the upload of a file from the list', async () => {
  expect(await lookedUp('same')).toEqual(['c'])
})

test('a look does not tell where an upload of the size cannot be compared', async () => {
  await expect(lookedUp('unknown')).rejects.toMatchObject({ name: 'UnknownOutcomeError', candidates: [{ slug: 'c' }] })
})

test('a look goes back a day by the times of the list, although this machine is two days ahead', async () => {
  expect(await lookedUp('same', { ages: [1, 2, 20, 21], aheadMs: 48 * 3_600_000 })).toEqual(['c'])
  expect(await lookedUp('same', { ages: [1, 26, 27, 28] })).toEqual([])
})

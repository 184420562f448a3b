import { expect, test } from 'vitest'
import { createListLook, type ListLookTools } from '../../../../src/contents/fleet/list-look.ts'
import type { Upload } from '../../../../src/index.ts'
import { instantClock } from '../../../helpers/instant-clock.ts'
import { uploadObject } from '../../../helpers/media.ts'

/** Looks for a file of 7 bytes, which upload `c` has, while `b` is deleted after the first page was read. */
async function lookedUp(likeness: 'same' | 'unknown') {
  let stored: readonly Upload[] = [...'abcd'].map((slug) => ({ ...uploadObject, slug, size: slug === 'c' ? 7 : 5 }))
  const list = async ({ page = 1 } = {}) => {
    const total = stored.length
    const data = stored.slice(2 * page - 2, 2 * page)
    if (page === 1) stored = stored.filter(({ slug }) => slug !== 'b')
    return { data, total, per_page: 2, current_page: page, last_page: Math.ceil(total / 2) }
  }
  const clock = instantClock()
  const found: string[] = []
  const look = createListLook({
    client: { list },
    journal: { slugs: () => [], found: (_name: string, _content: object, { slug }: Upload) => found.push(slug) },
    fleet: { memory: () => undefined },
    owners: async () => new Map(),
    context: { clock, interruption: { stopping: new AbortController().signal } },
  } as unknown as ListLookTools)
  const file = { path: '/f.jpg', name: 'f.jpg', content: { size: 7, sha256: '0'.repeat(64) } }
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

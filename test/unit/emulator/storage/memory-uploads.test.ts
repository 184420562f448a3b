import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryUploads } from '../../../../emulator/storage/memory-uploads.ts'
import type { UploadRecord } from '../../../../emulator/storage/record-store.ts'

type NewUpload = Omit<UploadRecord, 'id'>

function upload(slug: string, difference: Partial<NewUpload> = {}): NewUpload {
  const common = { accountId: 1, blobId: 'b', title: null, mimeType: 'image/png', sizeBytes: 10, views: 0, likes: 0 }
  return { slug, createdAt: 0, ...common, ...difference }
}

const slugs = (uploads: readonly UploadRecord[]) => uploads.map(({ slug }) => slug)
const everything = { offset: 0, limit: 1_000 }

test('uploads are listed newest first, of one instant the later one first', () => {
  const uploads = createMemoryUploads()
  uploads.insert(upload('old', { createdAt: 1 }))
  uploads.insert(upload('new', { createdAt: 3 }))
  uploads.insert(upload('new too', { createdAt: 3 }))
  uploads.insert(upload('late, but old', { createdAt: 2 }))
  expect(slugs(uploads.newest(1, everything))).toEqual(['new too', 'new', 'late, but old', 'old'])
})

test('a page is the part of the list at its offset, and beyond the end it is empty', () => {
  const uploads = createMemoryUploads()
  for (const slug of ['e', 'd', 'c', 'b', 'a']) uploads.insert(upload(slug))
  const page = (offset: number) => slugs(uploads.newest(1, { offset, limit: 2 }))
  expect([page(0), page(2), page(4), page(5), page(9e15)]).toEqual([['a', 'b'], ['c', 'd'], ['e'], [], []])
})

test('a slug is given once, whoever has it', () => {
  const uploads = createMemoryUploads()
  expect(uploads.insert(upload('a'))?.id).toBe(1)
  expect(uploads.insert(upload('a', { accountId: 2 }))).toBeUndefined()
  expect(uploads.totals(2).uploads).toBe(0)
})

test('removing all uploads of an account leaves those of others', () => {
  const uploads = createMemoryUploads()
  for (const slug of ['a', 'b']) uploads.insert(upload(slug))
  uploads.insert(upload('c', { accountId: 2 }))
  expect(slugs(uploads.removeAll(1))).toEqual(['a', 'b'])
  expect([uploads.findBySlug('a'), uploads.totals(1).uploads, uploads.totals(2).uploads]).toEqual([undefined, 0, 1])
})

/** The same in the plainest way: every list is sorted and every total summed when it is asked for. */
function createPlainUploads() {
  const bySlug = new Map<string, UploadRecord>()
  const all = () => [...bySlug.values()].sort((a, b) => b.createdAt - a.createdAt || b.id - a.id)
  const sum = (field: 'views' | 'sizeBytes') => all().reduce((total, record) => total + record[field], 0)
  return {
    put: (record: UploadRecord | undefined) => record && bySlug.set(record.slug, record),
    remove: (slug: string) => bySlug.delete(slug),
    all,
    totals: () => ({ uploads: bySlug.size, views: sum('views'), bytes: sum('sizeBytes') }),
  }
}

const anyStep = fc.record({
  kind: fc.constantFrom('insert', 'update', 'remove'),
  slug: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  number: fc.integer({ min: 0, max: 4 }),
})

test('order and running totals are those of a list that is sorted and summed each time', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 40 }), (steps) => {
      const uploads = createMemoryUploads()
      const plain = createPlainUploads()
      const take = {
        insert: (slug: string, at: number) => plain.put(uploads.insert(upload(slug, { createdAt: at, sizeBytes: at }))),
        update: (slug: string, views: number) => plain.put(uploads.update(slug, { views })),
        remove: (slug: string) => expect(uploads.remove(slug) !== undefined).toBe(plain.remove(slug)),
      }
      for (const { kind, slug, number } of steps) take[kind](slug, number)
      expect(uploads.newest(1, everything)).toEqual(plain.all())
      expect(uploads.totals(1)).toEqual(plain.totals())
    }),
  )
})

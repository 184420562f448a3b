import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryRecords } from '../../../../../emulator/storage/memory/memory-records.ts'
import type { UploadRecord } from '../../../../../emulator/storage/records.ts'
import { everything, upload } from '../records.ts'

/** The simplest version: sorts and sums every list on each call. */
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

test('order and totals match those of a list that is sorted and summed each time', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 40 }), (steps) => {
      const uploads = createMemoryRecords().uploads
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

import { expect, test } from 'vitest'
import type { Age } from '../../../../../emulator/storage/record-store.ts'
import { createUploadMarks, markDistance } from '../../../../../emulator/storage/sqlite/upload-marks.ts'

function marksOf(ages: readonly Age[]) {
  const marked = ages.filter((_, index) => index % markDistance === 0)
  return createUploadMarks(ages.length, marked, ages.at(-1))
}

const aFew = Array.from({ length: 2_500 }, (_, index) => ({ createdAt: Math.floor(index / 3), id: index + 1 }))

test('a list growing at its end gets new marks; one growing in the middle wears its marks out', () => {
  const growing = createUploadMarks(0, [])
  for (let id = 1; id <= 10 * markDistance; id += 1) growing.added({ createdAt: id, id })
  expect([growing.isWorn(), growing.find(9_500).skip]).toEqual([false, 500])
  const worn = marksOf(aFew)
  for (let id = 1; id <= 4 * markDistance; id += 1) worn.added({ createdAt: 1, id: 3_000 + id })
  expect(worn.isWorn()).toBe(true)
})

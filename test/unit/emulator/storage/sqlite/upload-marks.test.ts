import { expect, test } from 'vitest'
import { createUploadMarks, markDistance } from '../../../../../emulator/storage/sqlite/upload-marks.ts'
import type { Age } from '../../../../../emulator/storage/upload-age.ts'

function marksOf(ages: readonly Age[]) {
  const marked = ages.filter((_, index) => index % markDistance === 0)
  return createUploadMarks({ ages: marked, newest: ages.at(-1), total: ages.length })
}

const aFew = Array.from({ length: 2_500 }, (_, index) => ({ createdAt: Math.floor(index / 3), id: index + 1 }))

test('a list growing at its end gets new marks; one growing in the middle wears its marks out', () => {
  const growing = createUploadMarks({ ages: [], newest: undefined, total: 0 })
  for (let id = 1; id <= 10 * markDistance; id += 1) growing.added({ createdAt: id, id })
  expect([growing.isWorn(), growing.find(9_500).skip]).toEqual([false, 500])
  const worn = marksOf(aFew)
  for (let id = 1; id <= 4 * markDistance; id += 1) worn.added({ createdAt: 1, id: 3_000 + id })
  expect(worn.isWorn()).toBe(true)
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Age, createUploadMarks, markDistance } from '../../../../../emulator/storage/sqlite/upload-marks.ts'

const byAge = (one: Age, other: Age) => one.createdAt - other.createdAt || one.id - other.id

function marksOf(ages: readonly Age[]) {
  const marked = ages.filter((_, index) => index % markDistance === 0)
  return createUploadMarks({ ages: marked, newest: ages.at(-1), total: ages.length })
}

/** The upload found from a mark by skipping as many as it says. */
function follow(ages: readonly Age[], { from, skip }: { readonly from: Age; readonly skip: number }): Age | undefined {
  return ages.filter((age) => byAge(age, from) >= 0)[skip]
}

const aFew = Array.from({ length: 2_500 }, (_, index) => ({ createdAt: Math.floor(index / 3), id: index + 1 }))

test('any rank is found from a nearby mark, also while uploads are added and removed anywhere', () => {
  const change = fc.record({ isAddition: fc.boolean(), createdAt: fc.integer({ min: -1, max: 840 }) })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 100 }), fc.nat(2_000), (changes, rank) => {
      const ages: Age[] = [...aFew]
      const marks = marksOf(ages)
      for (const [index, { isAddition, createdAt }] of changes.entries()) {
        const age = { createdAt, id: 3_000 + index }
        const removed = isAddition ? undefined : ages.splice(createdAt + 1, 1)[0]
        if (removed !== undefined) marks.removed(removed)
        if (!isAddition) continue
        ages.push(age)
        ages.sort(byAge)
        marks.added(age)
      }
      expect(follow(ages, marks.find(rank))).toEqual(ages[rank])
    }),
    { numRuns: 50 },
  )
})

test('a list growing at its end gets new marks; one growing in the middle wears its marks out', () => {
  const growing = createUploadMarks({ ages: [], newest: undefined, total: 0 })
  for (let id = 1; id <= 10 * markDistance; id += 1) growing.added({ createdAt: id, id })
  expect([growing.isWorn(), growing.find(9_500).skip]).toEqual([false, 500])
  const worn = marksOf(aFew)
  for (let id = 1; id <= 4 * markDistance; id += 1) worn.added({ createdAt: 1, id: 3_000 + id })
  expect(worn.isWorn()).toBe(true)
})

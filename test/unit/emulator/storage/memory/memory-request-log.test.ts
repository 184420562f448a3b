import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryRecords } from '../../../../../emulator/storage/memory/memory-records.ts'
import { request } from '../records.ts'

test('a log that keeps dropping requests has the latest and the right counts', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(1, 2, null), { maxLength: 60 }),
      fc.integer({ min: 1, max: 7 }),
      (ids, maxKept) => {
        const { requests } = createMemoryRecords({ maxKept })
        for (const [at, accountId] of ids.entries()) requests.append(request({ at, accountId }))
        const latest = ids.map((_, at) => at).slice(-maxKept)
        expect(requests.all().map(({ at }) => at)).toEqual(latest)
        expect(requests.count(1)).toBe(ids.filter((id) => id === 1).length)
        expect(requests.dropped()).toBe(ids.length - latest.length)
      },
    ),
  )
})

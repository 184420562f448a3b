import { expect, test } from 'vitest'
import { createRequestJournal } from '../../../../emulator/control/request-journal.ts'
import { createRequestFeed } from '../../../../emulator/service/request-feed.ts'
import { createMemoryRecords } from '../../../../emulator/storage/memory/memory-storage.ts'
import { request } from '../storage/records.ts'

test('requests that the full log drops leave the numbers of the others as they are, and the era', () => {
  const feed = createRequestFeed(createMemoryRecords({ maxKept: 3 }).requests)
  const journal = createRequestJournal(feed)
  for (let at = 1; at <= 3; at += 1) feed.append(request({ at }))
  journal.look()
  for (let at = 4; at <= 5; at += 1) feed.append(request({ at }))
  expect(journal.look()).toEqual({ last: 5, era: 0, kept: 3, dropped: 2 })
  expect([3, 5, 1, 3.5, 6].map((number) => journal.find(number)?.at)).toEqual([3, 5, undefined, undefined, undefined])
})

import { expect, test } from 'vitest'
import { createRequestJournal } from '../../../../emulator/control/request-journal.ts'
import { createRequestFeed } from '../../../../emulator/service/request-feed.ts'
import { createMemoryRequestLog } from '../../../../emulator/storage/memory/memory-request-log.ts'
import type { RequestRecord } from '../../../../emulator/storage/records.ts'
import { createRequestCounts } from '../../../../emulator/storage/request-counts.ts'

const request = (at: number, accountId = 1): RequestRecord => ({
  method: 'GET',
  endpoint: `/api/${at}`,
  status: 200,
  clientIp: '127.0.0.1',
  at,
  cost: 1,
  accountId,
  keyIn: 'header',
  headers: '',
})

function journalOf(maxKept = 100) {
  const log = createMemoryRequestLog(createRequestCounts(new Map()), { maxKept })
  const feed = createRequestFeed(log)
  return { feed, log, journal: createRequestJournal(feed) }
}

const numbers = (pairs: Iterable<readonly [number, RequestRecord]>) =>
  [...pairs].map(([number, { at }]) => [number, at])

test('requests get numbers in their order when they are looked at, and keep them', () => {
  const { feed, journal } = journalOf()
  feed.append(request(10))
  feed.append(request(20))
  expect(journal.look()).toEqual({ last: 2, era: 0, kept: 2, dropped: 0 })
  feed.append(request(30))
  expect(journal.look().last).toBe(3)
  expect(numbers(journal.after(1))).toEqual([
    [2, 20],
    [3, 30],
  ])
  expect(numbers(journal.before(3))).toEqual([
    [2, 20],
    [1, 10],
  ])
  expect([journal.find(2)?.at, journal.find(4), journal.find(0), journal.find(1.5)]).toEqual([20, ...Array(3)])
})

test('requests that the full log drops leave the numbers of the others as they are, and the era', () => {
  const { feed, journal } = journalOf(3)
  for (let at = 1; at <= 3; at += 1) feed.append(request(at))
  journal.look()
  for (let at = 4; at <= 5; at += 1) feed.append(request(at))
  expect(journal.look()).toEqual({ last: 5, era: 0, kept: 3, dropped: 2 })
  expect([journal.find(1), journal.find(3)?.at, journal.find(5)?.at]).toEqual([undefined, 3, 5])
})

test('another era begins when requests are deleted, all or some, or a snapshot is restored', () => {
  const { feed, log, journal } = journalOf()
  for (let at = 1; at <= 4; at += 1) feed.append(request(at, at % 2))
  journal.look()
  feed.remove(({ accountId }) => accountId === 0)
  expect([journal.look().era, journal.find(3)?.at, journal.find(2)]).toEqual([1, 3, undefined])
  feed.remove(() => true)
  feed.append(request(5))
  expect(journal.look()).toMatchObject({ last: 5, era: 2, kept: 1 })
  log.load({ requests: [request(6), request(7)], droppedRequests: [] })
  expect(journal.look()).toMatchObject({ last: 7, era: 3, kept: 2 })
})

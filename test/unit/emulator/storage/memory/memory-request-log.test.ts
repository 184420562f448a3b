import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryRequestLog } from '../../../../../emulator/storage/memory/memory-request-log.ts'
import type { RequestRecord } from '../../../../../emulator/storage/record-store.ts'

function request(at: number, accountId: number | null = 1): RequestRecord {
  return {
    method: 'GET',
    endpoint: '/api/stats',
    status: 200,
    clientIp: '127.0.0.1',
    at,
    cost: 1,
    accountId,
    keyIn: 'header',
  }
}

test('a full log drops the oldest request, reports how many, and still counts them for the account', () => {
  const log = createMemoryRequestLog(3)
  for (const at of [1, 2, 3, 4, 5]) log.append(request(at, at === 2 ? 2 : 1))
  expect(log.all().map(({ at }) => at)).toEqual([3, 4, 5])
  expect([log.dropped(), log.count(1), log.count(2)]).toEqual([2, 4, 1])
})

test('removed requests count neither as dropped nor for the account', () => {
  const log = createMemoryRequestLog(3)
  for (const at of [1, 2, 3, 4]) log.append(request(at))
  expect(log.remove(({ at }) => at === 3)).toBe(1)
  expect(log.all().map(({ at }) => at)).toEqual([2, 4])
  expect([log.dropped(), log.count(1)]).toEqual([1, 3])
})

test('a restored log behaves like the dumped one', () => {
  const log = createMemoryRequestLog(3)
  for (const at of [1, 2, 3, 4]) log.append(request(at, at === 1 ? null : 1))
  const copy = createMemoryRequestLog(3)
  copy.append(request(9, 7))
  copy.load(log.dump())
  for (const one of [log, copy]) one.append(request(5))
  expect(copy.dump()).toEqual(log.dump())
  expect([copy.dropped(), copy.count(1), copy.count(7)]).toEqual([2, 4, 0])
})

test('a log that keeps dropping requests has the latest and the right counts', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(1, 2, null), { maxLength: 60 }),
      fc.integer({ min: 1, max: 7 }),
      (ids, most) => {
        const log = createMemoryRequestLog(most)
        for (const [at, id] of ids.entries()) log.append(request(at, id))
        const latest = ids.map((_, at) => at).slice(-most)
        expect(log.all().map(({ at }) => at)).toEqual(latest)
        expect(log.count(1)).toBe(ids.filter((id) => id === 1).length)
        expect(log.dropped()).toBe(ids.length - latest.length)
      },
    ),
  )
})

test('a log that is too large drops the oldest, but always keeps the latest', () => {
  const log = createMemoryRequestLog(100, 10_000)
  const long = (at: number, length: number) => ({ ...request(at), endpoint: `/api/${'x'.repeat(length)}` })
  for (const at of [1, 2, 3]) log.append(long(at, 3_000))
  expect([log.all().map(({ at }) => at), log.dropped()]).toEqual([[1, 2, 3], 0])
  log.append(long(4, 3_000))
  expect([log.all().map(({ at }) => at), log.dropped()]).toEqual([[2, 3, 4], 1])
  log.append(long(5, 50_000))
  expect([log.all().map(({ at }) => at), log.dropped(), log.count(1)]).toEqual([[5], 4, 5])
  log.remove(() => true)
  for (const at of [6, 7]) log.append(long(at, 3_000))
  expect(log.all().map(({ at }) => at)).toEqual([6, 7])
})

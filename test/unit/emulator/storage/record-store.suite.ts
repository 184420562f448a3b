import { describe, expect, test } from 'vitest'
import type { RecordStore } from '../../../../emulator/storage/records.ts'
import type { LogLimits } from '../../../../emulator/storage/request-log.ts'
import { account, everything, request, slugsOf, upload } from './records.ts'

const nothing = [undefined, undefined, undefined]

/**
 * Tests for every record store.
 * @param open an empty store whose log has these limits; it is closed when the test ends
 */
export function recordStoreSuite(name: string, open: (limits?: LogLimits) => Promise<RecordStore>): void {
  describe(`accounts in ${name}`, () => {
    test('account ids count up and are never reused', async () => {
      const { accounts } = await open()
      expect([accounts.insert(account()).id, accounts.insert(account({ keyHash: 'l' })).id]).toEqual([1, 2])
      expect(accounts.remove(2)?.keyHash).toBe('l')
      expect(accounts.insert(account({ keyHash: 'm' })).id).toBe(3)
      expect(accounts.all().map(({ id }) => id)).toEqual([1, 3])
      expect([accounts.get(2), accounts.remove(2), accounts.update(2, { feedViews: 1 })]).toEqual(nothing)
    })
  })

  describe(`uploads in ${name}`, () => {
    test('an upload keeps every field', async () => {
      const { uploads } = await open()
      const ready = { state: 'ready', blobId: 't', mimeType: 'image/jpeg', sizeBytes: 3 } as const
      // A NUL would end it on Node 22, whose SQLite reads a text up to there.
      const given = upload('s', { title: 'ţ "quoted" \u0001', createdAt: 1_768_478_400_123.5, blobId: null, views: 3 })
      expect(uploads.insert({ ...given, thumbnail: ready })).toEqual({ ...given, thumbnail: ready, id: 1 })
      expect(uploads.findBySlug('s')).toEqual({ ...given, thumbnail: ready, id: 1 })
      expect(uploads.update('s', { thumbnail: { state: 'pending', dueAt: 5 }, likes: 2 })?.likes).toBe(2)
      expect(uploads.newest(1, everything)).toEqual([
        { ...given, thumbnail: { state: 'pending', dueAt: 5 }, likes: 2, id: 1 },
      ])
      expect(slugsOf(uploads.awaitingThumbnail())).toEqual(['s'])
    })

    test('uploads can be added by the thousand, and any page of them is found', async () => {
      const { uploads } = await open()
      uploads.insert(upload('first'))
      let next = 0
      const many = Array.from({ length: 12_000 }, (_, index) => upload('', { createdAt: index % 7 }))
      for (const each of many) uploads.insert({ ...each, slug: `s${next++}` })
      expect(uploads.newest(1, { offset: 5_000, limit: 1 })).toHaveLength(1)
      for (let index = 0; index < 1_500; index += 1) uploads.insert(upload(`t${index}`, { createdAt: 9 }))
      for (let index = 0; index < 1_500; index += 1) uploads.insert(upload(`m${index}`, { createdAt: 3 }))
      for (let index = 0; index < 6_000; index += 4) uploads.remove(`s${index}`)
      const all = slugsOf(uploads.newest(1, everything))
      expect(all).toHaveLength(13_501)
      for (const offset of [0, 1_499, 5_000, 8_750, 13_460]) {
        expect(slugsOf(uploads.newest(1, { offset, limit: 50 }))).toEqual(all.slice(offset, offset + 50))
      }
      expect(uploads.totals(1)).toEqual({ uploads: 13_501, views: 0, bytes: 135_010 })
    })
  })

  describe(`the request log in ${name}`, () => {
    test('a full request log drops the oldest, which still count', async () => {
      const { requests } = await open({ maxKept: 3 })
      for (const status of [200, 201, 202, 203, 204]) requests.append(request({ status }))
      expect(requests.select().map(({ status }) => status)).toEqual([202, 203, 204])
      requests.append(request({ accountId: null, status: 401 }))
      expect(requests.select().map(({ status }) => status)).toEqual([203, 204, 401])
      expect([requests.logged(1), requests.state().dropped]).toEqual([5, 3])
    })

    test('a request log that is too large drops the oldest, but always keeps the latest', async () => {
      const { requests } = await open({ maxKept: 100, maxBytes: 10_000 })
      const append = (status: number, length = 3_000) =>
        requests.append(request({ status, endpoint: `/api/${'x'.repeat(length)}` }))
      for (const status of [201, 202, 203]) append(status)
      expect([requests.select().map(({ status }) => status), requests.state().dropped]).toEqual([[201, 202, 203], 0])
      append(204)
      expect([requests.select().map(({ status }) => status), requests.state().dropped]).toEqual([[202, 203, 204], 1])
      append(205, 50_000)
      expect([requests.select().map(({ status }) => status), requests.state().dropped, requests.logged(1)]).toEqual([
        [205],
        4,
        5,
      ])
      requests.remove()
      for (const status of [206, 207]) append(status)
      expect(requests.select().map(({ status }) => status)).toEqual([206, 207])
    })
  })
}

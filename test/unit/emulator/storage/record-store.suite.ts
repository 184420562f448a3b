import { describe, expect, test } from 'vitest'
import type { LogLimits, RecordStore } from '../../../../emulator/storage/record-store.ts'
import { emptyDump } from '../../../../emulator/storage/records.ts'
import { account, album, everything, request, session, slugsOf, upload } from './records.ts'

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

    test('an account is found by its key only while it has that key', async () => {
      const { accounts } = await open()
      accounts.insert(account({ keyHash: 'old' }))
      const changed = accounts.update(1, { keyHash: 'new', ipAllowlist: ['10.0.0.0/8'], quotas: { burst: null } })
      expect(accounts.findByKeyHash('new')).toEqual(changed)
      expect(accounts.get(1)).toEqual({
        ...account({ keyHash: 'new', ipAllowlist: ['10.0.0.0/8'], quotas: { burst: null } }),
        id: 1,
      })
      expect(accounts.findByKeyHash('old')).toBeUndefined()
    })
  })

  describe(`albums in ${name}`, () => {
    test('albums are found by account and by upload, and their ids are never reused', async () => {
      const { albums } = await open()
      albums.insert(album('one', { uploads: ['a', 'b'] }))
      albums.insert(album('two', { uploads: ['b'] }))
      albums.insert(album('other', { accountId: 2 }))
      expect([albums.count(1), albums.count(2), albums.count(3)]).toEqual([2, 1, 0])
      expect(albums.ofAccount(1).map((each) => each.name)).toEqual(['one', 'two'])
      expect(albums.withUpload('b').map(({ id }) => id)).toEqual([1, 2])
      expect(albums.update(1, { name: 'changed', uploads: ['c'] })).toEqual({
        ...album('changed'),
        id: 1,
        uploads: ['c'],
      })
      expect([albums.withUpload('b'), albums.withUpload('c')].map((found) => found.length)).toEqual([1, 1])
      expect(albums.remove(2)?.name).toBe('two')
      expect([albums.get(2), albums.remove(2), albums.update(2, { name: 'x' })]).toEqual(nothing)
      expect([albums.count(1), albums.withUpload('b')]).toEqual([1, []])
      expect(albums.insert(album('three')).id).toBe(4)
    })
  })

  describe(`uploads in ${name}`, () => {
    test('uploads are listed newest first, by id if they have the same instant', async () => {
      const { uploads } = await open()
      uploads.insert(upload('old', { createdAt: 1 }))
      uploads.insert(upload('new', { createdAt: 3 }))
      uploads.insert(upload('new too', { createdAt: 3 }))
      uploads.insert(upload('late, but old', { createdAt: 2 }))
      expect(slugsOf(uploads.newest(1, everything))).toEqual(['new too', 'new', 'late, but old', 'old'])
    })

    test('a page of uploads is the part of the list at its offset, and empty beyond the end', async () => {
      const { uploads } = await open()
      for (const slug of ['e', 'd', 'c', 'b', 'a']) uploads.insert(upload(slug))
      const page = (offset: number) => slugsOf(uploads.newest(1, { offset, limit: 2 }))
      expect([page(0), page(2), page(4), page(5), page(9e15)]).toEqual([['a', 'b'], ['c', 'd'], ['e'], [], []])
    })

    test('an upload keeps every field', async () => {
      const { uploads } = await open()
      const ready = { state: 'ready', blobId: 't', mimeType: 'image/jpeg', sizeBytes: 3 } as const
      const given = upload('s', { title: 'ţ "quoted" \u0000', createdAt: 1_768_478_400_123.5, blobId: null, views: 3 })
      expect(uploads.insert({ ...given, thumbnail: ready })).toEqual({ ...given, thumbnail: ready, id: 1 })
      expect(uploads.findBySlug('s')).toEqual({ ...given, thumbnail: ready, id: 1 })
      expect(uploads.update('s', { thumbnail: { state: 'pending', dueAt: 5 }, likes: 2 })?.likes).toBe(2)
      expect(uploads.newest(1, everything)).toEqual([
        { ...given, thumbnail: { state: 'pending', dueAt: 5 }, likes: 2, id: 1 },
      ])
      expect(slugsOf(uploads.awaitingThumbnail())).toEqual(['s'])
    })

    test('the latest uploads of all accounts are listed up to an instant, by id if they have the same', async () => {
      const { uploads } = await open()
      for (const [index, createdAt] of [3, 1, 2, 3, 2, 9].entries()) {
        uploads.insert(upload(`s${index}`, { accountId: (index % 3) + 1, createdAt }))
      }
      const latest = (until: number, limit: number) => slugsOf(uploads.latest({ until, limit }))
      expect(latest(9, 9)).toEqual(['s5', 's3', 's0', 's4', 's2', 's1'])
      expect([latest(9, 2), latest(2, 2), latest(0, 9)]).toEqual([['s5', 's3'], ['s4', 's2'], []])
    })

    test('a slug is taken once over all accounts, and is case-sensitive', async () => {
      const { uploads } = await open()
      expect(uploads.insert(upload('a'))?.id).toBe(1)
      expect(uploads.insert(upload('a', { accountId: 2 }))).toBeUndefined()
      expect(uploads.totals(2).uploads).toBe(0)
      expect(uploads.insert(upload('A'))?.id).toBe(2)
      expect([uploads.remove('b'), uploads.update('b', { views: 1 }), uploads.findBySlug('b')]).toEqual(nothing)
    })

    test('totals add up the views of the files, without those of their pages', async () => {
      const { uploads } = await open()
      uploads.insert(upload('a', { views: 4 }))
      uploads.insert(upload('b', { views: 4, indirectViews: 3 }))
      expect(uploads.totals(1).views).toBe(5)
      uploads.update('a', { views: 5, indirectViews: 1 })
      uploads.update('b', { views: 5 })
      expect(uploads.totals(1).views).toBe(6)
      uploads.remove('b')
      expect(uploads.totals(1).views).toBe(4)
    })

    test('removing all uploads of an account leaves those of others', async () => {
      const { uploads } = await open()
      for (const slug of ['a', 'b']) uploads.insert(upload(slug))
      uploads.insert(upload('c', { accountId: 2 }))
      expect(slugsOf(uploads.removeAll(1))).toEqual(['a', 'b'])
      expect([uploads.findBySlug('a'), uploads.totals(1).uploads, uploads.totals(2).uploads]).toEqual([undefined, 0, 1])
      expect(uploads.insert(upload('d'))?.id).toBe(4)
    })

    test('uploads can be added by the thousand, and any page of them is found', async () => {
      const { uploads } = await open()
      uploads.insert(upload('first'))
      uploads.insertAll(Array.from({ length: 12_000 }, (_, index) => upload(`s${index}`, { createdAt: index % 7 })))
      for (let index = 0; index < 1_500; index += 1) uploads.insert(upload(`t${index}`, { createdAt: 9 }))
      const all = slugsOf(uploads.newest(1, everything))
      expect(all).toHaveLength(13_501)
      for (const offset of [0, 1_499, 5_000, 8_750, 13_460]) {
        expect(slugsOf(uploads.newest(1, { offset, limit: 50 }))).toEqual(all.slice(offset, offset + 50))
      }
      expect(uploads.totals(1)).toEqual({ uploads: 13_501, views: 0, bytes: 135_010 })
    })
  })

  describe(`the request log in ${name}`, () => {
    test('requests are logged in order and counted by account', async () => {
      const { requests } = await open()
      const made = [request(), request({ accountId: null, status: 401, keyIn: 'none' }), request({ method: 'POST' })]
      for (const each of made) requests.append(each)
      expect(requests.all()).toEqual(made)
      expect([requests.count(1), requests.count(2), requests.dropped()]).toEqual([2, 0, 0])
    })

    test('a full request log drops the oldest, which still count', async () => {
      const { requests } = await open({ maxKept: 3 })
      for (const status of [200, 201, 202, 203, 204]) requests.append(request({ status }))
      expect(requests.all().map(({ status }) => status)).toEqual([202, 203, 204])
      requests.append(request({ accountId: null, status: 401 }))
      expect(requests.all().map(({ status }) => status)).toEqual([203, 204, 401])
      expect([requests.count(1), requests.dropped()]).toEqual([5, 3])
    })

    test('a request log that is too large drops the oldest, but always keeps the latest', async () => {
      const { requests } = await open({ maxKept: 100, maxBytes: 10_000 })
      const append = (status: number, length = 3_000) =>
        requests.append(request({ status, endpoint: `/api/${'x'.repeat(length)}` }))
      for (const status of [201, 202, 203]) append(status)
      expect([requests.all().map(({ status }) => status), requests.dropped()]).toEqual([[201, 202, 203], 0])
      append(204)
      expect([requests.all().map(({ status }) => status), requests.dropped()]).toEqual([[202, 203, 204], 1])
      append(205, 50_000)
      expect([requests.all().map(({ status }) => status), requests.dropped(), requests.count(1)]).toEqual([[205], 4, 5])
      requests.remove(() => true)
      for (const status of [206, 207]) append(status)
      expect(requests.all().map(({ status }) => status)).toEqual([206, 207])
    })

    test('the requests of one account are read alone, oldest first, whether the whole log was read before or not', async () => {
      const { requests } = await open()
      const made = [1, 2, null, 1].map((accountId, at) =>
        request({ accountId, at, endpoint: `/api/"é"/${at}`, status: 200 + at }),
      )
      for (const each of made) requests.append(each)
      const calls = (accountId: number) =>
        [...requests.ofAccount(accountId)]
          .flat()
          .map(({ at, method, endpoint, status }) => ({ at, method, endpoint, status }))
      const first = { at: 0, method: 'GET', endpoint: '/api/"é"/0', status: 200 }
      const last = { at: 3, method: 'GET', endpoint: '/api/"é"/3', status: 203 }
      expect([calls(1), calls(7)]).toEqual([[first, last], []])
      expect([requests.lastOf(1)?.at, requests.lastOf(7)]).toEqual([3, undefined])
      requests.all()
      expect([calls(1), calls(2).length]).toEqual([[first, last], 1])
    })

    test('removed requests count as if they had not been made', async () => {
      const { requests } = await open()
      for (const status of [200, 404, 200]) requests.append(request({ status }))
      expect(requests.remove(({ status }) => status === 200)).toBe(2)
      requests.append(request({ status: 500 }))
      expect([requests.all().map(({ status }) => status), requests.count(1)]).toEqual([[404, 500], 2])
    })
  })

  describe(`everything in ${name}`, () => {
    test('values are kept per key or name until they are replaced', async () => {
      const { quotas, keyValues } = await open()
      const minute = { kind: 'fixed', startedAt: 5, units: 7 } as const
      expect([quotas.get('k'), keyValues.get('n')]).toEqual([{}, undefined])
      quotas.put('k', { minute })
      keyValues.set('n', { a: [1, null] })
      expect([quotas.get('k'), keyValues.get('n')]).toEqual([{ minute }, { a: [1, null] }])
      quotas.remove('k')
      expect(quotas.get('k')).toEqual({})
    })

    test('a session is kept by the hash of its id until it is replaced or removed', async () => {
      const { sessions } = await open()
      const [one, other] = [session({ idHash: 'a' }), session({ idHash: 'b', accountId: 2 })]
      sessions.put(other)
      sessions.put(one)
      sessions.put({ ...other, openedAt: 7 })
      expect([sessions.get('a'), sessions.get('b'), sessions.get('c')]).toEqual([
        one,
        { ...other, openedAt: 7 },
        undefined,
      ])
      sessions.remove('a')
      sessions.remove('c')
      expect(sessions.all()).toEqual([{ ...other, openedAt: 7 }])
    })

    test('a loaded dump restores everything, ids included, and an empty dump removes everything', async () => {
      const store = await open({ maxKept: 2 })
      store.accounts.insert(account())
      store.accounts.insert(account({ keyHash: 'l' }))
      store.accounts.remove(2)
      store.albums.insert(album('A', { uploads: ['a'] }))
      store.albums.insert(album('B'))
      store.albums.remove(2)
      store.uploads.insert(upload('a', { views: 4 }))
      store.uploads.insert(upload('b'))
      store.uploads.remove('b')
      for (const status of [200, 201, 202]) store.requests.append(request({ status }))
      const burst = { kind: 'fixed', startedAt: 1, units: 2 } as const
      store.quotas.put('k', { burst })
      for (const idHash of ['j', 'i']) store.sessions.put(session({ idHash }))
      const dump = structuredClone(store.dump())
      store.load(emptyDump)
      expect(store.dump()).toEqual(emptyDump)
      expect(store.uploads.insert(upload('a'))?.id).toBe(1)
      store.load(dump)
      expect(store.dump()).toEqual(dump)
      expect(store.uploads.totals(1)).toEqual({ uploads: 1, views: 4, bytes: 10 })
      expect([store.requests.count(1), store.accounts.findByKeyHash('k')?.id]).toEqual([3, 1])
      expect([store.albums.withUpload('a').length, store.albums.count(1)]).toEqual([1, 1])
      expect(store.albums.insert(album('C')).id).toBe(3)
      expect(dump.sessions.map(({ idHash }) => idHash)).toEqual(['i', 'j'])
      expect([store.accounts.insert(account()).id, store.uploads.insert(upload('c'))?.id]).toEqual([3, 3])
      store.requests.append(request({ status: 203 }))
      expect(store.requests.all().map(({ status }) => status)).toEqual([202, 203])
      expect([store.requests.count(1), store.requests.dropped()]).toEqual([4, 2])
      await store.flushed()
    })
  })
}

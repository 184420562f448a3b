import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeTables } from '../../../../../emulator/storage/sqlite/schema.ts'
import { isDatabaseFailure } from '../../../../../emulator/storage/sqlite/sql-database.ts'
import { latestQuery } from '../../../../../emulator/storage/sqlite/sqlite-uploads.ts'
import { pageQuery } from '../../../../../emulator/storage/sqlite/upload-pages.ts'
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts'
import { recordStoreSuite } from '../record-store.suite.ts'
import { account, everything, request, slugsOf, upload } from '../records.ts'
import { openRecords, sqlites } from '../sqlite.ts'

describe.each(sqlites)('%s', (name, open) => {
  const place = () => join(temporaryFolder(), 'records.db')

  recordStoreSuite(name, (limits) => openRecords(open, place(), limits))

  test('a request log that is too large drops the oldest when it is reopened too', async () => {
    const path = place()
    const long = (status: number) => request({ status, endpoint: `/api/${'x'.repeat(3_000)}` })
    const first = await openRecords(open, path, { maxKept: 100, maxBytes: 10_000 })
    for (const status of [201, 202, 203, 204]) first.requests.append(long(status))
    expect(first.requests.all().map(({ status }) => status)).toEqual([202, 203, 204])
    first.requests.append(long(205))
    const dump = first.dump()
    await first.close()

    const second = await openRecords(open, path, { maxKept: 100, maxBytes: 10_000 })
    expect(second.dump()).toEqual(dump)
    second.requests.append(long(206))
    expect(second.requests.all().map(({ status }) => status)).toEqual([204, 205, 206])
  })

  test.each([
    ['pages of an account', pageQuery, [1, 0, 1, 50, 10], 'uploads_age (account_id=? AND (created_at,id)>(?,?))'],
    ['the latest of all accounts', latestQuery, [1, 50], 'uploads_latest (created_at<?)'],
  ])('%s come from an index, without a sort', (_what, query, values, index) => {
    const database = open(place())
    makeTables(database)
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${query}`).all(...values)
    database.close()
    expect(plan.map(({ detail }) => detail)).toEqual([`SEARCH uploads USING INDEX ${index}`])
  })

  test('the blobs in use are found by prefix, thumbnails included', async () => {
    const { uploads, usedBlobs } = await openRecords(open, place())
    uploads.insert(upload('a', { blobId: 'ab01' }))
    uploads.insert(upload('b', { blobId: 'ac02' }))
    uploads.insert(upload('c', { blobId: null }))
    uploads.update('b', { thumbnail: { state: 'ready', blobId: 'ab03', mimeType: 'image/jpeg', sizeBytes: 1 } })
    expect([usedBlobs('ab'), usedBlobs('ac'), usedBlobs('ad')]).toEqual([
      new Set(['ab01', 'ab03']),
      new Set(['ac02']),
      new Set(),
    ])
  })

  test('an invalid write is undone, in memory too, and later writes work', async () => {
    const path = place()
    const before = await openRecords(open, path)
    before.accounts.insert(account())
    before.uploads.insert(upload('a'))
    before.requests.append(request())
    const dump = before.dump()
    const mistake = upload('b', { createdAt: Number.NaN })
    expect(() => before.uploads.insert(mistake)).toThrow('NOT NULL constraint failed: uploads.created_at')
    expect(() => before.uploads.insertAll([upload('c'), mistake])).toThrow('NOT NULL constraint failed')
    const twice = dump.uploads.flatMap((record) => [record, { ...record, id: 9 }])
    expect(() => before.load({ ...dump, accounts: [], uploads: twice })).toThrow('UNIQUE constraint failed')
    expect({ ...before.dump(), lastIds: dump.lastIds }).toEqual(dump)
    expect(before.uploads.totals(1)).toEqual({ uploads: 1, views: 0, bytes: 10 })
    before.uploads.insert(upload('d'))
    await before.close()

    const after = await openRecords(open, path)
    expect(after.accounts.all()).toEqual(dump.accounts)
    expect(after.uploads.totals(1).uploads).toBe(2)
    expect(slugsOf(after.uploads.newest(1, everything))).toEqual(['d', 'a'])
  })

  test('the requests of one account are read in pieces, so that a long log keeps nothing else waiting', async () => {
    const { requests } = await openRecords(open, place())
    for (let at = 0; at < 8_001; at += 1) requests.append(request({ at }))
    const pieces = [...requests.ofAccount(1)]
    expect(pieces.map(({ length }) => length)).toEqual([4_000, 4_000, 1])
    expect(pieces.flat().map(({ at }) => at)).toEqual(Array.from({ length: 8_001 }, (_, at) => at))
  })

  test('a full disk is a failure of the database, and an invalid value is not', async () => {
    const database = open(place())
    database.run('CREATE TABLE t (a TEXT NOT NULL UNIQUE) STRICT; PRAGMA max_page_count = 4')
    const insert = database.prepare('INSERT INTO t VALUES (?)')
    const errorOf = (value: string | null) => {
      try {
        return insert.run(value)
      } catch (error) {
        return error
      }
    }
    expect(isDatabaseFailure(errorOf(null))).toBe(false)
    expect(isDatabaseFailure(errorOf('x'.repeat(100_000)))).toBe(true)
    database.close()
  })
})

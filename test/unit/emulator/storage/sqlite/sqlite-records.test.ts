import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { emptyDump } from '../../../../../emulator/storage/records.ts'
import { openDatabase } from '../../../../../emulator/storage/sqlite/open-sqlite.ts'
import { makeTables } from '../../../../../emulator/storage/sqlite/schema.ts'
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts'
import { recordStoreSuite } from '../record-store.suite.ts'
import { account, everything, request, slugsOf, upload } from '../records.ts'
import { openRecords } from '../sqlite.ts'

const rest = JSON.stringify({
  thumbnail: { state: 'none' },
  title: null,
  mimeType: 'image/png',
  sizeBytes: 10,
  views: 0,
  likes: 0,
})

/** The tables of uploads as 1.0.0 has them, with two uploads. */
const tablesOf100 = `DROP TABLE uploads;
  CREATE TABLE uploads (id INT PRIMARY KEY, slug TEXT NOT NULL, account_id INTEGER NOT NULL, created_at REAL NOT NULL,
    blob_id TEXT, thumbnail_blob_id TEXT, thumbnail_due_at REAL, rest TEXT NOT NULL) STRICT;
  CREATE UNIQUE INDEX uploads_slug ON uploads (slug);
  CREATE INDEX uploads_age ON uploads (account_id, created_at, id);
  CREATE INDEX uploads_latest ON uploads (created_at, id);
  CREATE INDEX uploads_blob ON uploads (blob_id) WHERE blob_id IS NOT NULL;
  CREATE INDEX uploads_thumbnail ON uploads (thumbnail_blob_id) WHERE thumbnail_blob_id IS NOT NULL;
  CREATE INDEX uploads_due ON uploads (thumbnail_due_at) WHERE thumbnail_due_at IS NOT NULL;
  CREATE TABLE upload_totals (account_id INTEGER PRIMARY KEY, totals TEXT NOT NULL) STRICT;
  INSERT INTO upload_totals VALUES (1, '{"uploads":2,"views":0,"bytes":20}');
  INSERT INTO last_ids VALUES ('upload', 2);
  INSERT INTO uploads VALUES (1, 'a', 1, 0, 'x', NULL, NULL, '${rest}'), (2, 'b', 1, 0, 'y', NULL, NULL, '${rest}');
  INSERT INTO requests VALUES (1, 1, '{"method":"GET","endpoint":"/api/stats","status":200,"clientIp":"::1","at":1,"cost":1,"keyIn":"header","headers":""}');
  PRAGMA user_version = 3`

const dayOf = (units: number) => ({ day: { kind: 'fixed', startedAt: 0, units } as const })

const place = () => join(temporaryFolder(), 'records.db')

recordStoreSuite('SQLite', (limits) => openRecords(place(), limits))

test('a request log that is too large drops the oldest when it is reopened too', async () => {
  const path = place()
  const long = (status: number) => request({ status, endpoint: `/api/${'x'.repeat(3_000)}` })
  const first = await openRecords(path, { maxKept: 100, maxBytes: 10_000 })
  for (const status of [201, 202, 203, 204]) first.requests.append(long(status))
  expect(first.requests.all().map(({ status }) => status)).toEqual([202, 203, 204])
  first.requests.append(long(205))
  const dump = first.dump()
  await first.close()

  const second = await openRecords(path, { maxKept: 100, maxBytes: 10_000 })
  expect(second.dump()).toEqual(dump)
  second.requests.append(long(206))
  expect(second.requests.all().map(({ status }) => status)).toEqual([204, 205, 206])
})

test('a reset that cannot be written leaves everything as it was, also the log, charges and ids', async () => {
  vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  let isFull = false
  const opened: typeof openDatabase = (path) => {
    const database = openDatabase(path)
    const commit = (run: () => void) => () => {
      if (isFull) throw new Error('the disk is full')
      run()
    }
    const prepare: typeof database.prepare = (sql) => {
      const statement = database.prepare(sql)
      return sql === 'COMMIT' ? { ...statement, run: commit(statement.run) } : statement
    }
    return { ...database, prepare }
  }
  const path = place()
  const records = await openRecords(path, {}, opened)
  records.accounts.insert(account())
  records.uploads.insert(upload('a'))
  await records.flushed()
  records.requests.append(request())
  records.quotas.set('k', dayOf(1))
  await records.flushed()
  const dump = records.dump()
  isFull = true
  records.load(emptyDump)
  await expect(records.flushed()).rejects.toThrow('the disk is full')
  expect(records.dump()).toEqual(dump)
  isFull = false
  expect(records.uploads.insert(upload('b'))?.id).toBe(2)
  await records.flushed()
  const after = records.dump()
  await records.close()
  expect((await openRecords(path)).dump()).toEqual(after)
})

test('an upload of any instant, also one with a fraction, is read as it was written', async () => {
  const path = place()
  const before = await openRecords(path)
  const instants = Array.from({ length: 2_000 }, (_, index) => 1.7e12 * (index % 3) + Math.sqrt(index) * 1e3 - 7 / 3)
  before.uploads.insertAll(instants.map((createdAt, index) => upload(`s${index}`, { createdAt, blobId: null })))
  const dump = before.dump()
  await before.close()
  expect((await openRecords(path)).dump()).toEqual(dump)
})

test('records that 1.0.0 wrote are read and kept, and 1.0.0 refuses them afterwards', async () => {
  const path = place()
  const database = openDatabase(path)
  makeTables(database)
  database.run(tablesOf100)
  database.close()
  const first = await openRecords(path)
  expect(slugsOf(first.uploads.newest(1, everything))).toEqual(['b', 'a'])
  expect(first.uploads.totals(1)).toEqual({ uploads: 2, views: 0, bytes: 20 })
  first.uploads.insert(upload('c'))
  first.uploads.update('a', { likes: 1 })
  const dump = first.dump()
  await first.close()
  expect((await openRecords(path)).dump()).toEqual(dump)
  expect(dump.requests).toMatchObject([{ accountId: 1, endpoint: '/api/stats' }])
  expect(dump.uploads.map(({ id, slug, likes }) => `${id}${slug}${likes}`)).toEqual(['1a1', '2b0', '3c0'])
})

test('turns that a killed build of version 4 left in its table are in the other tables', async () => {
  const path = place()
  const before = await openRecords(path)
  before.accounts.insert(account())
  before.requests.append(request({ at: 1 }))
  for (const key of ['kept', 'gone']) before.quotas.set(key, dayOf(1))
  await before.close()
  const turns = [
    {
      requests: [request({ at: 2 }), request({ at: 3, accountId: null })],
      quotas: [
        ['kept', dayOf(2)],
        ['gone', null],
      ],
    },
    {
      requests: [request({ at: 4, endpoint: '/api/\u2028"\'' })],
      quotas: [
        ['kept', dayOf(4)],
        ['new', dayOf(1)],
      ],
    },
    { last_ids: [['upload', 7]], notes: [['settings', { cors: 'x' }]] },
  ]
  const database = openDatabase(path)
  database.run('CREATE TABLE turns (id INTEGER PRIMARY KEY, changes TEXT NOT NULL) STRICT; PRAGMA user_version = 4')
  const insert = database.prepare('INSERT INTO turns (changes) VALUES (?)')
  for (const turn of turns) insert.run(JSON.stringify(turn))
  database.close()
  const { requests, keyValues, ...after } = await openRecords(path)
  expect(requests.all().map(({ at }) => at)).toEqual([1, 2, 3, 4])
  expect(requests.lastOf(1)).toEqual(request({ at: 4, endpoint: '/api/\u2028"\'' }))
  expect([requests.count(1), requests.kept()]).toEqual([3, 4])
  expect(keyValues.get('settings')).toEqual({ cors: 'x' })
  const { quotas, lastIds } = after.dump()
  expect(Object.fromEntries(quotas.map(({ keyHash, state }) => [keyHash, state]))).toEqual({
    kept: dayOf(4),
    new: dayOf(1),
  })
  expect(lastIds).toEqual({ account: 1, upload: 7, album: 0 })
})

import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../../../emulator/storage/sqlite/open-sqlite.ts'
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts'
import { account, album, request, session, upload } from '../records.ts'
import { openRecords } from '../sqlite.ts'

const rest = (change: string) => `UPDATE uploads SET rest = ${change} WHERE slug = 'b'`
const set = (path: string, value: string) => rest(`json_set(rest, '$.${path}', ${value})`)

/** A byte that is never in UTF-8. */
const noText = "CAST(x'ff' AS TEXT)"
const notUtf8 = (table: string, column: string) => `UPDATE ${table} SET ${column} = ${column} || ${noText}`
/** The table would refuse the type: damage does not ask. */
const untyped = (table: string, column: string) =>
  `CREATE TABLE loose AS SELECT * FROM ${table}; DROP TABLE ${table}; ALTER TABLE loose RENAME TO ${table};
  UPDATE ${table} SET ${column} = ${noText}`

/** The damage done to the database, and the row named in the error. */
const damages: readonly (readonly [string, string])[] = [
  [rest("'{'"), '"b" of uploads'],
  [rest("json_remove(rest, '$.mimeType')"), '"b" of uploads'],
  [set('title', '5'), '"b" of uploads'],
  [set('thumbnail.state', "'pending'"), '"b" of uploads'],
  [set('thumbnail.state', "'ready'"), '"b" of uploads'],
  ["UPDATE uploads SET created_at = 9e15 WHERE slug = 'b'", '"b" of uploads'],
  ["UPDATE requests SET rest = json_set(rest, '$.at', 'then')", '1 of requests'],
  ["UPDATE accounts SET record = json_set(record, '$.ipAllowlist', 'all')", '1 of accounts'],
  ["UPDATE albums SET record = json_set(record, '$.uploads', 'all')", '1 of albums'],
  [`UPDATE quotas SET state = '{"burst":null}'`, '"k" of quotas'],
  ["UPDATE sessions SET session = json_set(session, '$.openedAt', 9e15)", '"i" of sessions'],
  ["UPDATE notes SET value = 'x'", '"n" of notes'],
  [set('title', noText), '"b" of uploads'],
  [`${notUtf8('uploads', 'slug')} WHERE slug = 'b'`, '"b�" of uploads'],
  [`${notUtf8('uploads', 'blob_id')} WHERE slug = 'b'`, '"b" of uploads'],
  [untyped('uploads', 'account_id'), '"a" of uploads'],
  [untyped('uploads', 'created_at'), '"a" of uploads'],
  [`UPDATE requests SET rest = json_set(rest, '$.endpoint', ${noText})`, '1 of requests'],
  [untyped('requests', 'account_id'), '1 of requests'],
  [`UPDATE accounts SET record = json_set(record, '$.email', ${noText})`, '1 of accounts'],
  [notUtf8('quotas', 'key_hash'), '"k�" of quotas'],
  [notUtf8('sessions', 'id_hash'), '"i�" of sessions'],
  [notUtf8('notes', 'name'), '"n�" of notes'],
  [notUtf8('last_ids', 'kind'), '"account�" of last_ids'],
  [untyped('request_counts', 'kept'), '1 of request_counts'],
]

test.each(damages)('after %s the database is not opened, and the error names the row', async (damage, named) => {
  const path = join(temporaryFolder(), 'records.db')
  const before = await openRecords(path)
  before.accounts.insert(account())
  before.albums.insert(album('A'))
  for (const slug of ['a', 'b', 'c']) before.uploads.insert(upload(slug))
  before.requests.append(request())
  const burst = { kind: 'fixed', startedAt: 1, units: 2 } as const
  before.quotas.set('k', { burst })
  before.sessions.set('i', session({ idHash: 'i' }))
  before.keyValues.set('n', { a: 1 })
  await before.close()
  const database = openDatabase(path)
  database.run(damage)
  database.close()
  await expect(openRecords(path)).rejects.toThrow(`the row ${named} in its records.db is damaged; restore that file`)
})

test('a damaged row is found even if it is the last of many', async () => {
  const path = join(temporaryFolder(), 'records.db')
  const before = await openRecords(path)
  before.uploads.insertAll(Array.from({ length: 2_500 }, (_, index) => upload(`slug-${index}`)))
  await before.close()
  await (await openRecords(path)).close()
  const database = openDatabase(path)
  database.run("UPDATE uploads SET rest = 'null' WHERE slug = 'slug-2499'")
  database.close()
  await expect(openRecords(path)).rejects.toThrow('the row "slug-2499" of uploads')
})

import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { openDataFolder, type Storage } from '../../../../emulator/storage/open.ts'
import { opened } from '../../../../src/store/sqlite.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { openFolder as openStorage } from './opened.ts'
import { account, upload } from './records.ts'

async function storeBlob({ blobs }: Storage, text: string): Promise<string> {
  const writer = blobs.create()
  await writer.write(Buffer.from(text))
  await writer.commit()
  return writer.id
}

/** The name of a file that is still arriving. */
const draft = 'd'.repeat(32)

const modeOf = (path: string) => statSync(path).mode & 0o777

test('stored files are readable only by their owner', async () => {
  const folder = join(temporaryFolder(), 'data')
  const storage = await openStorage(folder)
  const blobId = await storeBlob(storage, 'bytes')
  expect([folder, 'blobs', 'tmp'].map((name) => modeOf(join(folder, name === folder ? '' : name)))).toEqual([
    0o700, 0o700, 0o700,
  ])
  expect(modeOf(join(folder, 'records.db'))).toBe(0o600)
  expect(blobId).toMatch(/^[0-9a-f]{32}$/)
  expect(modeOf(storage.blobs.path(blobId))).toBe(0o600)
})

test('unfinished files of a killed process are removed, and nothing else', async () => {
  const folder = temporaryFolder()
  const before = await openStorage(folder)
  const used = await storeBlob(before, 'used')
  const thumbnail = await storeBlob(before, 'thumbnail')
  const orphan = await storeBlob(before, 'nobody refers to it')
  before.records.uploads.insert(upload('s', { blobId: used }))
  before.records.uploads.update('s', {
    thumbnail: { state: 'ready', blobId: thumbnail, mimeType: 'image/jpeg', sizeBytes: 9 },
  })
  writeFileSync(join(folder, 'blobs', 'notes.txt'), 'not a blob')
  const { place, isUntouched } = foreignFolder()
  const work = join(folder, 'tmp')
  writeFileSync(join(work, draft), 'half of')
  mkdirSync(join(work, 'e'.repeat(32)))
  writeFileSync(join(work, 'e'.repeat(32), 'inner'), 'mine')
  symlinkSync(join(place, draft), join(work, 'f'.repeat(32)))
  await before.close()

  const after = await openStorage(folder)
  expect(readdirSync(work).sort()).toEqual(['e'.repeat(32), 'f'.repeat(32)])
  isUntouched()
  expect(String(await buffer(after.blobs.read(used)))).toBe('used')
  expect(String(await buffer(after.blobs.read(thumbnail)))).toBe('thumbnail')
  await expect(buffer(after.blobs.read(orphan))).rejects.toThrow('There is no blob')
  expect(readdirSync(join(folder, 'blobs'))).toContain('notes.txt')
})

test('a folder in use is refused with its path and who uses it, and is free once closed', async () => {
  const folder = temporaryFolder()
  const first = await openStorage(folder)
  writeFileSync(join(folder, 'tmp', 'arriving'), 'half of')
  await expect(openDataFolder(folder)).rejects.toThrow(
    `The folder ${folder} is in use by process ${process.pid}: close the emulator there, or choose another folder`,
  )
  expect(readdirSync(join(folder, 'tmp'))).toEqual(['arriving'])
  first.records.accounts.insert(account())
  await first.close()
  expect((await openStorage(folder)).records.accounts.all()).toHaveLength(1)
})

test('a folder that is a file, lies below one or has one inside is refused with the place named', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'file')
  writeFileSync(path, '')
  const isRefused = (data: string, why: string) =>
    expect(openDataFolder(data)).rejects.toThrow(
      `The folder ${data} cannot be used: ${why}; choose another folder, or fix this`,
    )
  await isRefused(path, 'part of its path is no folder')
  await isRefused(join(path, 'data'), 'part of its path is no folder')
  const damaged = join(folder, 'data')
  await (await openStorage(damaged)).close()
  rmSync(join(damaged, 'tmp'), { recursive: true })
  writeFileSync(join(damaged, 'tmp'), '')
  await isRefused(damaged, `${join(damaged, 'tmp')}: part of its path is no folder`)
})

/** Runs a statement on the database of a folder, which may be the emulator's before. */
const changed = (sql: string, isOwn: boolean) => async (folder: string) => {
  if (isOwn) await (await openStorage(folder)).close()
  const database = opened(join(folder, 'records.db'), {}, () => {})
  database.exec(sql)
  database.close()
}
const written = (name: string, text: string) => (folder: string) => writeFileSync(join(folder, name), text)
const foreign = 'in it and no emulator data: choose an empty folder'
const otherBuild = (version: number) =>
  `cannot be used: another release wrote it (version ${version}, this one reads 12), or another program`

test.each<[string, (folder: string) => unknown, string]>([
  ['other files', written('thesis.txt', 'do not touch'), `has "thesis.txt" ${foreign}`],
  ['an empty records.db and a foreign tmp', written('records.db', ''), `has "tmp" ${foreign}`],
  ['a foreign tmp and lost tables', changed('PRAGMA user_version = 0; VACUUM', false), `has "tmp" ${foreign}`],
  [
    'a damaged start of the database',
    written('records.db', 'else'.repeat(999)),
    'has a damaged records.db: "file is not a',
  ],
  ['a foreign database', changed('CREATE TABLE t (a)', false), otherBuild(0)],
  [
    'a foreign database of the same version',
    changed('CREATE TABLE t (a); PRAGMA user_version = 12', false),
    otherBuild(12),
  ],
  ['data of another release', changed('PRAGMA user_version = 99', true), otherBuild(99)],
])('a folder with %s is refused with the reason, and its files are unchanged', async (_, make, why) => {
  const folder = temporaryFolder()
  await make(folder)
  mkdirSync(join(folder, 'tmp'), { recursive: true })
  writeFileSync(join(folder, 'tmp', draft), 'mine')
  const kept = () => ['thesis.txt', join('tmp', draft)].map((name) => textOf(join(folder, name)))
  const before = kept()
  await expect(openDataFolder(folder)).rejects.toThrow(`The folder ${folder} ${why}`)
  expect(kept()).toEqual(before)
})

const textOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined)

/** A foreign folder with a file that must not change. */
function foreignFolder(): { readonly place: string; readonly isUntouched: () => void } {
  const place = temporaryFolder()
  writeFileSync(join(place, draft), 'precious')
  return { place, isUntouched: () => expect(readFileSync(join(place, draft), 'utf8')).toBe('precious') }
}

test.each<readonly [string, string]>([
  ['tmp', ''],
  ['blobs', ''],
  ...['records.db', 'records.db-wal', 'records.db-journal', 'pid'].map((name) => [name, draft] as const),
])('a link instead of %s is refused, and its target is neither read nor written', async (name, target) => {
  const folder = temporaryFolder()
  await (await openStorage(folder)).close()
  const { place, isUntouched } = foreignFolder()
  rmSync(join(folder, name), { recursive: true, force: true })
  symlinkSync(join(place, target), join(folder, name))
  const refusal = `The folder ${folder} cannot be used: ${join(folder, name)} is a link, which is not followed`
  await expect(openDataFolder(folder)).rejects.toThrow(refusal)
  isUntouched()
})

test.each(['records.db', 'pid'])('a hard link instead of %s is refused and unchanged', async (name) => {
  const folder = temporaryFolder()
  await (await openStorage(folder)).close()
  const other = join(temporaryFolder(), 'other')
  writeFileSync(join(folder, 'pid'), '1\n')
  linkSync(join(folder, name), other)
  const before = readFileSync(other)
  await expect(openDataFolder(folder)).rejects.toThrow(`${join(folder, name)} is a link, which is not followed`)
  expect(readFileSync(other)).toEqual(before)
})

test('an empty database next to files of uploads is refused with advice, and no file is removed', async () => {
  const folder = temporaryFolder()
  const before = await openStorage(folder)
  const blobId = await storeBlob(before, 'bytes')
  before.records.uploads.insert(upload('s', { blobId }))
  await before.close()
  renameSync(join(folder, 'records.db'), join(folder, '..', 'kept.db'))
  onTestFinished(() => rmSync(join(folder, '..', 'kept.db'), { force: true }))
  writeFileSync(join(folder, 'records.db'), '')
  const advice = `has "blobs" ${foreign}, or restore its records.db from a copy`
  await expect(openDataFolder(folder)).rejects.toThrow(advice)
  rmSync(join(folder, 'records.db'))
  renameSync(join(folder, '..', 'kept.db'), join(folder, 'records.db'))
  const after = await openStorage(folder)
  expect(String(await buffer(after.blobs.read(blobId)))).toBe('bytes')
})

const foreignNames = ['../outside', '../../outside', '..', '', '/etc/hostname', `${'a'.repeat(31)}/`, 'A'.repeat(32)]

test('a record with the blob id of another file reads and removes no file', async () => {
  const folder = join(temporaryFolder(), 'data')
  const storage = await openStorage(folder)
  const outside = [join(folder, '..', 'outside'), join(folder, 'outside')]
  for (const path of outside) writeFileSync(path, 'precious')
  for (const name of foreignNames) {
    await expect(buffer(storage.blobs.read(name)), name).rejects.toThrow('There is no blob')
    storage.blobs.remove(name)
    await storage.records.turns.flushed()
  }
  for (const path of outside) expect(readFileSync(path, 'utf8')).toBe('precious')
})

test('a link instead of a blob is not followed', async () => {
  const folder = temporaryFolder()
  const storage = await openStorage(folder)
  const { place, isUntouched } = foreignFolder()
  const id = 'ab'.repeat(16)
  symlinkSync(join(place, draft), join(folder, 'blobs', id))
  await expect(buffer(storage.blobs.read(id))).rejects.toThrow('is a link, which is not followed')
  storage.blobs.remove(id)
  await storage.records.turns.flushed()
  isUntouched()
})

test('a damaged page of the database is met by the start, which names the folder and what to do, and no file is removed', async () => {
  const folder = temporaryFolder()
  const storage = await openStorage(folder)
  const blobId = await storeBlob(storage, 'bytes')
  storage.records.uploads.insert(upload('s', { blobId }))
  await storage.close()
  const path = join(folder, 'records.db')
  const database = opened(path, {}, () => {})
  const { root } = database.prepare("SELECT rootpage AS root FROM sqlite_schema WHERE name = 'uploads'").get() ?? {}
  const { page_size: bytes } = database.prepare('PRAGMA page_size').get() ?? {}
  database.close()
  const file = readFileSync(path)
  writeFileSync(path, file.fill(0, (Number(root) - 1) * Number(bytes), Number(root) * Number(bytes)))
  await expect(openDataFolder(folder)).rejects.toThrow(
    `The folder ${folder} has a damaged records.db: "database disk image is malformed"; ` +
      'restore that file from a copy, or choose another folder',
  )
  expect(readFileSync(storage.blobs.path(blobId), 'utf8')).toBe('bytes')
})

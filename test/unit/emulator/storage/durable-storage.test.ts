import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { openDurableStorage } from '../../../../emulator/storage/durable-storage.ts'
import { openSqlite } from '../../../../emulator/storage/sqlite/open-sqlite.ts'
import type { Storage } from '../../../../emulator/storage/storage.ts'
import { account, upload } from './records.ts'
import { temporaryFolder } from './sqlite.ts'

/** Opens storage that is closed when the test ends, if not before. */
async function openStorage(folder: string): Promise<Storage> {
  const storage = await openDurableStorage(folder)
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= storage.close()
    return closed
  }
  onTestFinished(close)
  return { ...storage, close }
}

async function storeBlob({ blobs }: Storage, text: string): Promise<string> {
  const writer = blobs.create()
  await writer.write(Buffer.from(text))
  await writer.commit()
  return writer.id
}

const modeOf = (path: string) => statSync(path).mode & 0o777

test('records, bytes and the first key are found again', async () => {
  const folder = join(temporaryFolder(), 'new', 'folder')
  const before = await openStorage(folder)
  const blobId = await storeBlob(before, 'bytes')
  before.records.uploads.insert(upload('s', { blobId }))
  before.firstKey.remember('key')
  await before.close()
  const after = await openStorage(folder)
  expect(after.records.uploads.findBySlug('s')?.blobId).toBe(blobId)
  expect(String(await buffer(after.blobs.read(blobId)))).toBe('bytes')
  expect(after.firstKey.candidates()).toEqual(['key'])
})

test('what is kept is for its owner only', async () => {
  const folder = join(temporaryFolder(), 'data')
  const storage = await openStorage(folder)
  storage.firstKey.remember('key')
  const blobId = await storeBlob(storage, 'bytes')
  expect([folder, 'blobs', 'tmp'].map((name) => modeOf(join(folder, name === folder ? '' : name)))).toEqual([
    0o700, 0o700, 0o700,
  ])
  expect([modeOf(join(folder, 'records.db')), modeOf(join(folder, 'first-key'))]).toEqual([0o600, 0o600])
  expect(modeOf(await storage.blobs.path(blobId))).toBe(0o600)
})

test('what a killed process left half done is swept, and nothing else', async () => {
  const folder = temporaryFolder()
  const before = await openStorage(folder)
  const used = await storeBlob(before, 'used')
  const thumbnail = await storeBlob(before, 'thumbnail')
  const orphan = await storeBlob(before, 'nobody refers to it')
  before.records.uploads.insert(upload('s', { blobId: used }))
  before.records.uploads.update('s', {
    thumbnail: { state: 'ready', blobId: thumbnail, mimeType: 'image/jpeg', sizeBytes: 9 },
  })
  writeFileSync(join(folder, 'blobs', 'ab', 'notes.txt'), 'not a blob')
  writeFileSync(join(folder, 'tmp', 'half'), 'half of')
  await before.close()

  const after = await openStorage(folder)
  expect(readdirSync(join(folder, 'tmp'))).toEqual([])
  expect(String(await buffer(after.blobs.read(used)))).toBe('used')
  expect(String(await buffer(after.blobs.read(thumbnail)))).toBe('thumbnail')
  await expect(after.blobs.path(orphan)).rejects.toThrow('There is no blob')
  expect(readdirSync(join(folder, 'blobs', 'ab'))).toContain('notes.txt')
})

test('drafts are swept before anything is written, for the disk may be full because of them', async () => {
  const folder = temporaryFolder()
  await (await openStorage(folder)).close()
  writeFileSync(join(folder, 'tmp', 'half'), 'half of')
  const database = await openSqlite(join(folder, 'records.db'))
  // Taken for an empty one of ours, it cannot be filled.
  database.run('PRAGMA user_version = 0')
  database.close()
  await expect(openDurableStorage(folder)).rejects.toThrow('table accounts already exists')
  expect(readdirSync(join(folder, 'tmp'))).toEqual([])
})

test('a folder in use is refused, naming it and the process, and is free once that closes it', async () => {
  const folder = temporaryFolder()
  const first = await openStorage(folder)
  writeFileSync(join(folder, 'tmp', 'arriving'), 'half of')
  await expect(openDurableStorage(folder)).rejects.toThrow(
    `The folder ${folder} is in use by process ${process.pid}: stop that emulator, or choose another folder`,
  )
  expect(readdirSync(join(folder, 'tmp'))).toEqual(['arriving'])
  first.records.accounts.insert(account())
  await first.close()
  expect((await openStorage(folder)).records.accounts.all()).toHaveLength(1)
})

test('a folder with other things in it is refused and stays as it was', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'thesis.txt'), 'do not touch')
  await expect(openDurableStorage(folder)).rejects.toThrow(
    `The folder ${folder} has "thesis.txt" in it and no data of an emulator: choose an empty one`,
  )
  expect(readdirSync(folder)).toEqual(['thesis.txt'])
})

test('a folder where a file is, or above it, or in it, is refused in words that name the place', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'file')
  writeFileSync(path, '')
  const isRefused = (data: string, why: string) =>
    expect(openDurableStorage(data)).rejects.toThrow(
      `The folder ${data} cannot be used: ${why}; choose another folder, or set that right`,
    )
  await isRefused(path, 'it is no folder')
  await isRefused(join(path, 'data'), 'it, or part of its path, is no folder')
  const damaged = join(folder, 'data')
  await (await openStorage(damaged)).close()
  rmSync(join(damaged, 'tmp'), { recursive: true })
  writeFileSync(join(damaged, 'tmp'), '')
  await isRefused(damaged, `${join(damaged, 'tmp')}: it, or part of its path, is no folder`)
})

test.runIf(process.platform === 'linux')('a folder that can never be made is refused at once', async () => {
  await expect(openDurableStorage('/proc/some/data')).rejects.toThrow(
    'The folder /proc/some/data cannot be used: /proc/some: no folder can be made there;',
  )
})

test.each([
  ['a database of something else', 'CREATE TABLE t (a)', 'it is a database of something else'],
  ['data of a newer release', 'PRAGMA user_version = 99', 'a newer release wrote it (version 99, this one knows 1)'],
])('%s is refused', async (_, change, reason) => {
  const folder = temporaryFolder()
  if (change.startsWith('PRAGMA')) await (await openStorage(folder)).close()
  const database = await openSqlite(join(folder, 'records.db'))
  database.run(change)
  database.close()
  mkdirSync(join(folder, 'tmp'), { recursive: true })
  writeFileSync(join(folder, 'tmp', 'half'), '')
  await expect(openDurableStorage(folder)).rejects.toThrow(`The folder ${folder} cannot be used: ${reason}`)
  expect(readdirSync(join(folder, 'tmp'))).toEqual(['half'])
})

test('a file that is no database is refused, and what else is there is not touched', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'records.db'), 'something else entirely'.repeat(100))
  mkdirSync(join(folder, 'tmp'))
  writeFileSync(join(folder, 'tmp', 'mine'), '')
  await expect(openDurableStorage(folder)).rejects.toThrow(
    `The folder ${folder} cannot be used: file is not a database`,
  )
  expect(readdirSync(folder).sort()).toEqual(['records.db', 'tmp'])
  expect(readdirSync(join(folder, 'tmp'))).toEqual(['mine'])
})

test('the two latest first keys are remembered, the latest first', async () => {
  const folder = temporaryFolder()
  const before = await openStorage(folder)
  for (const key of ['one', 'two', 'three']) before.firstKey.remember(key)
  await before.close()
  expect(readFileSync(join(folder, 'first-key'), 'utf8')).toBe('three\ntwo\n')
  expect((await openStorage(folder)).firstKey.candidates()).toEqual(['three', 'two'])
})

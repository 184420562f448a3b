import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openDurableStorage } from '../../../../emulator/storage/durable-storage.ts'
import { openSqlite } from '../../../../emulator/storage/sqlite/open-sqlite.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { emulated, send, sendFile, uploaded } from '../emulated.ts'

/** A data folder with one upload, and the file of its bytes. */
async function folderWithUpload() {
  const data = temporaryFolder()
  const emulator = await emulated({ data, settings: { thumbnail: 'never' } })
  const { slug } = await uploaded(emulator, 300)
  await emulator.close()
  const storage = await openDurableStorage(data)
  const blobId = String(storage.records.uploads.findBySlug(slug)?.blobId)
  const file = await storage.blobs.path(blobId)
  await storage.close()
  return { data, slug, blobId, file }
}

/** Overwrites the first page of a table or index. */
async function damagePage(data: string, name: string, damage: (page: Buffer) => void): Promise<number> {
  const path = join(data, 'records.db')
  const database = await openSqlite(path)
  const root = Number(database.prepare('SELECT rootpage AS root FROM sqlite_schema WHERE name = ?').get(name)?.['root'])
  const bytes = Number(database.pragma('page_size'))
  database.close()
  const file = readFileSync(path)
  damage(file.subarray((root - 1) * bytes, root * bytes))
  writeFileSync(path, file)
  return root
}

test('the first change that meets an overwritten page of an index names the folder, the page and what to do, and a reader the folder', async () => {
  const { data, slug } = await folderWithUpload()
  const page = await damagePage(data, 'uploads_latest', (bytes) => bytes.fill(0))
  const warning = vi.spyOn(process, 'emitWarning').mockReturnValue()
  onTestFinished(() => warning.mockRestore())
  const emulator = await emulated({ data })
  expect((await send(emulator, 'GET', `/api/uploads/${slug}`)).status).toBe(200)
  expect((await sendFile(emulator, 300)).status).toBe(500)
  expect(String(warning.mock.calls[0]?.[0])).toBe(
    `UnwrittenError: The data could not be written: The records.db of the folder ${data} is damaged: ` +
      `page ${page} of uploads_latest cannot be read; restore that file from a copy, or choose another folder`,
  )
  await emulator.close()
  const storage = await openDurableStorage(data)
  onTestFinished(() => storage.close())
  expect(() => storage.records.uploads.latest({ until: 1e12, limit: 1 })).toThrow(
    `The records.db of the folder ${data} is damaged: page`,
  )
})

test('a file whose upload a damaged index no longer shows is kept, and the folder is refused', async () => {
  const { data, slug, blobId, file } = await folderWithUpload()
  await damagePage(data, 'uploads_blob', (bytes) => bytes.write('x', bytes.indexOf(blobId) + 5))
  await expect(openDurableStorage(data)).rejects.toThrow(
    `The folder ${data} cannot be used: its records.db is damaged: an index lacks the file of the upload "${slug}"`,
  )
  expect(readFileSync(file)).toHaveLength(300)
})

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDataFolder } from '../../../../emulator/storage/open.ts'
import { opened } from '../../../../src/store/sqlite.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { emulated, uploaded } from '../emulated.ts'

/** A data folder with one upload, and the file of its bytes. */
async function folderWithUpload() {
  const data = temporaryFolder()
  const emulator = await emulated({ data, settings: { thumbnail: 'never' } })
  const { slug } = await uploaded(emulator, 300)
  await emulator.close()
  const storage = await openDataFolder(data)
  const blobId = String(storage.records.uploads.findBySlug(slug)?.blobId)
  const file = storage.blobs.path(blobId)
  await storage.close()
  return { data, file }
}

/** Overwrites the first page of a table or index. */
async function damagePage(data: string, name: string, damage: (page: Buffer) => void): Promise<number> {
  const path = join(data, 'records.db')
  const database = opened(path, {}, () => {})
  const root = Number(database.prepare('SELECT rootpage AS root FROM sqlite_schema WHERE name = ?').get(name)?.['root'])
  const bytes = Number(database.prepare('PRAGMA page_size').get()?.['page_size'])
  database.close()
  const file = readFileSync(path)
  damage(file.subarray((root - 1) * bytes, root * bytes))
  writeFileSync(path, file)
  return root
}

test('an overwritten page is met by the start, which names the folder and what to do', async () => {
  const { data, file } = await folderWithUpload()
  await damagePage(data, 'uploads', (bytes) => bytes.fill(0))
  await expect(openDataFolder(data)).rejects.toThrow(
    `The records.db of the folder ${data} is damaged: "database disk image is malformed"; ` +
      'restore that file from a copy, or choose another folder',
  )
  expect(readFileSync(file)).toHaveLength(300)
})

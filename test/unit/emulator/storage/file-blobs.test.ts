import { existsSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFileBlobs } from '../../../../emulator/storage/blobs.ts'
import { temporaryFolder } from '../../../helpers/temporary-folder.ts'
import { blobStoreSuite, writeBlob } from './blob-store.suite.ts'

function openBlobs(flushed: () => Promise<void> = async () => {}) {
  const place = temporaryFolder()
  const [folder, incoming] = [join(place, 'blobs'), join(place, 'tmp')]
  mkdirSync(folder)
  mkdirSync(incoming)
  const files = () => readdirSync(place, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return {
    blobs: createFileBlobs({ blobs: folder, incoming }, flushed),
    files: () => files().map(({ name }) => name),
    removeFolder: () => rmdirSync(folder),
  }
}

blobStoreSuite('files', async () => openBlobs())

test('a removed blob’s bytes are deleted once the records are flushed, not earlier', async () => {
  const { promise: settled, resolve: settle } = Promise.withResolvers<void>()
  const { blobs } = openBlobs(() => settled)
  const writer = await writeBlob(blobs, 1)
  await writer.commit()
  const path = await blobs.path(writer.id)
  await blobs.remove(writer.id)
  expect(existsSync(path)).toBe(true)
  settle()
  await blobs.removed()
  expect(existsSync(path)).toBe(false)
})

test('a blob that cannot be committed leaves nothing', async () => {
  const { blobs, files, removeFolder } = openBlobs()
  removeFolder()
  const writer = await writeBlob(blobs, 5)
  expect(files()).toEqual([writer.id])
  await expect(writer.commit()).rejects.toThrow('ENOENT')
  expect(files()).toEqual([])
})

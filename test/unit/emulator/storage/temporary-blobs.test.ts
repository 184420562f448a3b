import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { createTemporaryBlobs } from '../../../../emulator/storage/blobs.ts'
import { temporaryFilesHere } from '../../../helpers/temporary-folder.ts'
import { blobStoreSuite, writeBlob } from './blob-store.suite.ts'

let place: string

beforeEach(() => {
  place = temporaryFilesHere()
})

const folders = () => readdirSync(place)
const files = () => folders().flatMap((folder) => readdirSync(join(place, folder)).filter((name) => name !== 'lock'))

blobStoreSuite('memory and temporary files', async () => ({ blobs: createTemporaryBlobs(), files }))

test('a small blob stays in memory, a large one is a private file with an unguessable name until it is removed or the store closed', async () => {
  const blobs = createTemporaryBlobs()
  await (await writeBlob(blobs, 3)).commit()
  expect(folders()).toEqual([])
  const [writer, removed] = [await writeBlob(blobs, 11), await writeBlob(blobs, 11)]
  for (const each of [writer, removed]) await each.commit()
  blobs.remove(removed.id)
  await blobs.removed()
  const [folder = ''] = folders()
  expect(statSync(join(place, folder)).mode & 0o777).toBe(0o700)
  expect(files()).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)])
  await blobs.close()
  expect(folders()).toEqual([])
})

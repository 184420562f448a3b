import { readdirSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { BlobStore } from '../../../../emulator/storage/blob-store.ts'
import { createTemporaryBlobs } from '../../../../emulator/storage/temporary-blobs.ts'

let place: string

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'blobs-test-'))
  vi.stubEnv('TMPDIR', place)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    return rm(place, { recursive: true, force: true })
  })
})

const chunkBytes = 300_000

/** Writes chunks of which each is filled with its own number. */
async function write(blobs: BlobStore, chunkCount: number) {
  const writer = blobs.create()
  for (let number = 0; number < chunkCount; number += 1) await writer.write(Buffer.alloc(chunkBytes, number))
  return writer
}

async function bytesOf(blobs: BlobStore, id: string): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of blobs.read(id)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const expected = (chunkCount: number) =>
  Buffer.concat(Array.from({ length: chunkCount }, (_, number) => Buffer.alloc(chunkBytes, number)))

const folders = () => readdirSync(place)
const files = () => folders().flatMap((folder) => readdirSync(join(place, folder)))

test('a small blob stays in memory', async () => {
  const blobs = createTemporaryBlobs()
  const writer = await write(blobs, 3)
  await writer.commit()
  expect((await bytesOf(blobs, writer.id)).equals(expected(3))).toBe(true)
  expect(folders()).toEqual([])
})

test('a large blob is a file with an unguessable name in a private folder, until the store is closed', async () => {
  const blobs = createTemporaryBlobs()
  const writer = await write(blobs, 11)
  await writer.commit()
  expect((await bytesOf(blobs, writer.id)).equals(expected(11))).toBe(true)
  const [folder = ''] = folders()
  expect(statSync(join(place, folder)).mode & 0o777).toBe(0o700)
  expect(files()).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)])
  await blobs.close()
  expect(folders()).toEqual([])
})

test('blobs that are written at the same time do not mix', async () => {
  const blobs = createTemporaryBlobs()
  const writers = await Promise.all([write(blobs, 5), write(blobs, 6), write(blobs, 2)])
  await Promise.all(writers.map((writer) => writer.commit()))
  const sizes = await Promise.all(writers.map(async ({ id }) => (await bytesOf(blobs, id)).length))
  expect(sizes).toEqual([5 * chunkBytes, 6 * chunkBytes, 2 * chunkBytes])
  await blobs.close()
})

test.each([3, 11])(
  'a discarded blob of %d chunks leaves nothing behind, and neither does a removed one',
  async (count) => {
    const blobs = createTemporaryBlobs()
    await (await write(blobs, count)).discard()
    const kept = await write(blobs, count)
    await kept.commit()
    await kept.discard()
    expect((await bytesOf(blobs, kept.id)).length).toBe(count * chunkBytes)
    await blobs.remove(kept.id)
    await blobs.remove('no such blob')
    expect(files()).toEqual([])
    await expect(bytesOf(blobs, kept.id)).rejects.toThrow(`There is no blob ${kept.id}`)
    await blobs.close()
  },
)

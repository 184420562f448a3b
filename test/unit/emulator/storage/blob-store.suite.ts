import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import type { BlobStore } from '../../../../emulator/storage/blobs.ts'

export interface OpenBlobs {
  readonly blobs: BlobStore
  /** The names of all files the store has. */
  files(): readonly string[]
}

const chunkBytes = 300_000

/** Writes chunks filled with their own number. */
export async function writeBlob(blobs: BlobStore, chunkCount: number) {
  const writer = blobs.create()
  for (let number = 0; number < chunkCount; number += 1) await writer.write(Buffer.alloc(chunkBytes, number))
  return writer
}

/** What {@link writeBlob} writes. */
export const blobBytes = (chunkCount: number) =>
  Buffer.concat(Array.from({ length: chunkCount }, (_, number) => Buffer.alloc(chunkBytes, number)))

/**
 * Tests for every blob store, with small and large blobs.
 * @param open an empty store
 */
export function blobStoreSuite(name: string, open: () => Promise<OpenBlobs>): void {
  describe.each([3, 11])(`a blob of %d chunks in ${name}`, (count) => {
    test('a blob is read as it was written, in parts, and as a file by programs that read only files', async () => {
      const { blobs } = await open()
      const writer = await writeBlob(blobs, count)
      await writer.commit()
      const end = count * chunkBytes - 1
      for (const range of [
        { start: 0, end: 0 },
        { start: 299_999, end: 600_001 },
        { start: end, end },
        { start: 0, end },
      ]) {
        const part = await buffer(blobs.read(writer.id, range))
        expect(part.equals(blobBytes(count).subarray(range.start, range.end + 1))).toBe(true)
      }
      const path = await blobs.path(writer.id)
      expect(await blobs.path(writer.id)).toBe(path)
      expect((await readFile(path)).equals(blobBytes(count))).toBe(true)
      expect((await buffer(blobs.read(writer.id))).equals(blobBytes(count))).toBe(true)
      await blobs.close()
    })

    test('a discarded or removed blob leaves nothing and is not found', async () => {
      const { blobs, files } = await open()
      await (await writeBlob(blobs, count)).discard()
      const kept = await writeBlob(blobs, count)
      await kept.commit()
      await kept.discard()
      expect((await buffer(blobs.read(kept.id))).length).toBe(count * chunkBytes)
      await blobs.remove(kept.id)
      await blobs.remove(kept.id)
      await blobs.remove('no such blob')
      await expect(buffer(blobs.read(kept.id))).rejects.toThrow(`There is no blob ${kept.id}`)
      await expect(blobs.path(kept.id)).rejects.toThrow(`There is no blob ${kept.id}`)
      await blobs.close()
      expect(files()).toEqual([])
    })
  })

  test(`blobs written in parallel do not mix in ${name}`, async () => {
    const { blobs } = await open()
    const writers = await Promise.all([writeBlob(blobs, 5), writeBlob(blobs, 6), writeBlob(blobs, 2)])
    await Promise.all(writers.map((writer) => writer.commit()))
    for (const [index, count] of [5, 6, 2].entries()) {
      const bytes = await buffer(blobs.read(writers[index]?.id ?? ''))
      expect(bytes.equals(blobBytes(count))).toBe(true)
    }
    await blobs.close()
  })
}

import { createReadStream } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobStore } from '../blob-store.ts'
import { createBlobWriter, readBytes } from '../blob-writer.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

/** The bytes, or the path of a file with them. */
type Blob = Buffer | string

/**
 * Blobs that exist only for this process: small ones in memory, so that most tests use no disk, large ones in files of
 * a private temporary folder.
 */
export function createTemporaryBlobs(): BlobStore {
  const blobs = new Map<string, Blob>()
  const folder = createTemporaryFolder('filehost-emulator')

  const found = (id: string): Blob => {
    const blob = blobs.get(id)
    if (blob === undefined) throw new Error(`There is no blob ${id}`)
    return blob
  }

  return {
    create: () =>
      createBlobWriter({
        draft: async (id) => join(await folder.path(), id),
        publishSmall: (id, bytes) => void blobs.set(id, bytes),
        publish: (id, path) => void blobs.set(id, path),
      }),
    async *read(id, range) {
      const blob = found(id)
      if (typeof blob === 'string') yield* createReadStream(blob, { ...range, highWaterMark: readBytes })
      else yield range === undefined ? blob : blob.subarray(range.start, range.end + 1)
    },
    async path(id) {
      const blob = found(id)
      if (typeof blob === 'string') return blob
      const path = join(await folder.path(), id)
      await writeFile(path, blob, { mode: 0o600 })
      // The blob may have been removed meanwhile.
      if (blobs.has(id)) blobs.set(id, path)
      else await rm(path, { force: true })
      return path
    },
    async remove(id) {
      const blob = blobs.get(id)
      blobs.delete(id)
      if (typeof blob === 'string') await rm(blob, { force: true })
    },
    async close() {
      blobs.clear()
      await folder.remove()
    },
  }
}

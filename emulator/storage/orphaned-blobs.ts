import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { blobPrefixes, isBlobId } from './file-blobs.ts'
import type { DataFolder } from './folder/data-folder.ts'
import { expectOwnFolder, nothingIfMissing } from './folder/own-file.ts'

/**
 * Removes partly received files of a killed process. Done first, since it needs no room and the disk may be full
 * because of them.
 */
export async function removeDrafts({ incoming }: DataFolder): Promise<void> {
  const found = await readdir(incoming, { withFileTypes: true }).catch(nothingIfMissing)
  if (found === undefined) return
  await expectOwnFolder(incoming)
  const unfinished = found.filter((entry) => entry.isFile() && isBlobId(entry.name))
  await Promise.all(unfinished.map(({ name }) => rm(join(incoming, name), { force: true })))
}

/**
 * Removes blobs without a record, left by a killed process. Call before any file is received, while every valid blob
 * has its record.
 *
 * @param usedBlobs the referenced blobs with this prefix
 */
export async function removeOrphanedBlobs(
  { blobs }: DataFolder,
  usedBlobs: (prefix: string) => ReadonlySet<string>,
): Promise<void> {
  const shelves = await Promise.all(blobPrefixes.map((prefix) => readdir(join(blobs, prefix), { withFileTypes: true })))
  for (const [index, entries] of shelves.entries()) {
    const prefix = blobPrefixes[index] ?? ''
    if (entries.length === 0) continue
    const used = usedBlobs(prefix)
    const left = entries.filter((entry) => entry.isFile() && isBlobId(entry.name) && !used.has(entry.name))
    await Promise.all(left.map(({ name }) => rm(join(blobs, prefix, name), { force: true })))
  }
}

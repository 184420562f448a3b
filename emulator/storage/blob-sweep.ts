import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DataFolder } from './data-folder.ts'
import { blobPrefixes } from './file-blobs.ts'

const blobName = /^[0-9a-f]{32}$/

/**
 * Removes bytes that had not all arrived when a process was killed. It needs no room, so it comes first: a disk may be
 * full because of them.
 */
export async function sweepDrafts({ incoming }: DataFolder): Promise<void> {
  const unfinished = await readdir(incoming).catch(noneIfMissing)
  await Promise.all(unfinished.map((name) => rm(join(incoming, name), { recursive: true, force: true })))
}

/**
 * Removes blobs that a process that was killed left behind, for no record refers to them. To be called before anything
 * is received, when every blob that matters has its record.
 *
 * @param usedBlobs of the blobs with this prefix those that a record refers to
 */
export async function sweepBlobs(
  { blobs }: DataFolder,
  usedBlobs: (prefix: string) => ReadonlySet<string>,
): Promise<void> {
  const shelves = await Promise.all(blobPrefixes.map((prefix) => readdir(join(blobs, prefix))))
  for (const [index, names] of shelves.entries()) {
    const prefix = blobPrefixes[index] ?? ''
    if (names.length === 0) continue
    const used = usedBlobs(prefix)
    const left = names.filter((name) => blobName.test(name) && !used.has(name))
    await Promise.all(left.map((name) => rm(join(blobs, prefix, name), { force: true })))
  }
}

function noneIfMissing(error: unknown): string[] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
  throw error
}

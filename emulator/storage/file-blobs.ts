import { type FileHandle, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { reasonOf } from '../../src/system/system-errors.ts'
import type { Soon } from '../values/soon.ts'
import type { BlobStore } from './blob-store.ts'
import { createBlobWriter, readBytes } from './blob-writer.ts'
import { syncFolder } from './folder/folders.ts'
import { expectFolder, nothingIfMissing, openOwn } from './folder/own-entry.ts'
import { noReserve, type Reserve } from './folder/reserve.ts'

interface FileBlobsContext {
  /** Has a subfolder for each of the {@link blobPrefixes}. */
  readonly folder: string
  /** Where blobs are until they are committed, on the same disk. */
  readonly incoming: string
  /** Resolves once all earlier record changes are safe. */
  flushed(): Soon<void>
  /** Space that deletions need; without it nothing is stored. */
  readonly reserve?: Reserve
}

/** The first two characters of ids, each a folder: enough for a million files, few enough to list. */
export const blobPrefixes: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
)

/** Whether a name is a valid id. Records may come from outside, and any other name could point elsewhere. */
export function isBlobId(name: string): boolean {
  return /^[0-9a-f]{32}$/.test(name)
}

/** Blobs in files; once committed, they survive the process and a power failure. */
export function createFileBlobs({ folder, incoming, flushed, reserve = noReserve }: FileBlobsContext) {
  const pendingRemovals = new Map<string, Promise<void>>()
  const pathOf = (id: string) => blobPath(folder, id)

  const found = async (id: string): Promise<FileHandle> => {
    if (!isBlobId(id) || pendingRemovals.has(id)) throw new Error(`There is no blob ${id}`)
    return openOwn(pathOf(id), 'read').catch((cause: unknown) => {
      throw new Error(`There is no blob ${id}: ${reasonOf(cause)}`, { cause })
    })
  }

  /** Waits until no record on disk refers to the bytes; if it fails, the next start removes them. */
  const removeLater = async (id: string) => {
    try {
      await flushed()
      await rm(pathOf(id), { force: true })
    } catch (error) {
      const problem = `${pathOf(id)}, the file of a deleted upload, cannot be removed: ${reasonOf(error)}`
      process.emitWarning(`${problem}. The next start removes it, where it can`)
    }
    pendingRemovals.delete(id)
  }
  /** Resolves once the bytes of all removed blobs are gone; nothing is returned if they are. */
  const removed = (): Soon<void> =>
    pendingRemovals.size === 0 ? undefined : Promise.all(pendingRemovals.values()).then(() => {})

  const blobs: BlobStore = {
    create: () =>
      createBlobWriter({
        draft: async (id) => join(incoming, id),
        hasRoom: reserve.ensure,
        isDurable: true,
        publish: async (id, draft) => {
          const path = pathOf(id)
          await rename(draft, path)
          // The blob is committed only once its name is safe.
          await syncFolder(dirname(path)).catch(async (error: unknown) => {
            await rm(path, { force: true })
            throw error
          })
        },
      }),
    async *read(id, range) {
      const file = await found(id)
      // Closes the file even if the reading ends early.
      yield* file.createReadStream({ ...range, highWaterMark: readBytes })
    },
    async path(id) {
      await (await found(id)).close()
      return pathOf(id)
    },
    async remove(id) {
      if (isBlobId(id) && !pendingRemovals.has(id)) pendingRemovals.set(id, removeLater(id))
    },
    close: async () => removed(),
  }
  return { ...blobs, removed }
}

/**
 * Removes partly received files of a killed process. Done first, since it needs no room and the disk may be full
 * because of them.
 */
export async function removeDrafts(incoming: string): Promise<void> {
  const found = await readdir(incoming, { withFileTypes: true }).catch(nothingIfMissing)
  if (found === undefined) return
  await expectFolder(incoming)
  const unfinished = found.filter((entry) => entry.isFile() && isBlobId(entry.name))
  await Promise.all(unfinished.map(({ name }) => rm(join(incoming, name), { force: true })))
}

/**
 * Removes blobs without a record, left by a killed process. Call before any file is received, while every valid blob
 * has its record.
 * @param used those that records refer to
 */
export async function removeOrphanedBlobs(folder: string, used: ReadonlySet<string>): Promise<void> {
  const shelves = await Promise.all(
    blobPrefixes.map((prefix) => readdir(join(folder, prefix), { withFileTypes: true })),
  )
  const left = shelves.flat().filter((entry) => entry.isFile() && isBlobId(entry.name) && !used.has(entry.name))
  await Promise.all(left.map(({ name }) => rm(blobPath(folder, name), { force: true })))
}

function blobPath(folder: string, id: string): string {
  return join(folder, id.slice(0, 2), id)
}

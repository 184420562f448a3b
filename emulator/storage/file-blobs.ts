import { createReadStream } from 'node:fs'
import { access, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createBlobFile } from './blob-file.ts'
import type { BlobStore } from './blob-store.ts'
import { discardingOnFailure } from './discarding-writer.ts'

export interface FileBlobsContext {
  /** Has a folder for each of the {@link blobPrefixes}. */
  readonly folder: string
  /** Where blobs are until they are complete, on the same disk. */
  readonly incoming: string
  /** Resolves once the records that were changed before are safe. */
  settled(): Promise<void>
}

export interface FileBlobs extends BlobStore {
  /** Resolves once the bytes of all that was removed are gone. */
  removed(): Promise<void>
}

/** The first two characters of ids, each of them a folder: enough for a million files, and few enough to look through. */
export const blobPrefixes: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
)

/** How much is read from a file at a time. */
const readBytes = 262_144

/** Blobs as files that outlive the process: a committed one is on disk under its name, bytes and all. */
export function createFileBlobs({ folder, incoming, settled }: FileBlobsContext): FileBlobs {
  const doomed = new Map<string, Promise<void>>()
  const pathOf = (id: string) => join(folder, id.slice(0, 2), id)

  const found = async (id: string): Promise<string> => {
    const isThere = !doomed.has(id) && (await access(pathOf(id)).then(succeeded, failed))
    if (!isThere) throw new Error(`There is no blob ${id}`)
    return pathOf(id)
  }

  /** Only when no record on disk refers to the bytes any more; those that stay are swept at the next start. */
  const removeLater = async (id: string) => {
    try {
      await settled()
      await rm(pathOf(id), { force: true })
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error))
    }
    doomed.delete(id)
  }
  const removed = async () => void (await Promise.all(doomed.values()))

  return {
    create: () => discardingOnFailure(createBlobFile({ incoming, pathOf })),
    async *read(id, range) {
      yield* createReadStream(await found(id), { ...range, highWaterMark: readBytes })
    },
    path: found,
    async remove(id) {
      if (!doomed.has(id)) doomed.set(id, removeLater(id))
    },
    removed,
    close: removed,
  }
}

const succeeded = () => true
const failed = () => false

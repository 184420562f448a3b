import { type FileHandle, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createBlobFile } from './blob-file.ts'
import type { BlobStore, BlobWriter } from './blob-store.ts'
import { openOwn } from './folder/own-file.ts'
import { noReserve, type Reserve } from './folder/reserve.ts'
import { discardingOnFailure } from './memory/discarding-writer.ts'

export interface FileBlobsContext {
  /** Has a folder for each of the {@link blobPrefixes}. */
  readonly folder: string
  /** Where blobs are until they are complete, on the same disk. */
  readonly incoming: string
  /** Resolves once the records that were changed before are safe. */
  settled(): Promise<void>
  /** Room that deletions need: without it nothing is taken in. */
  readonly reserve?: Reserve
}

export interface FileBlobs extends BlobStore {
  /** Resolves once the bytes of all that was removed are gone. */
  removed(): Promise<void>
}

/** The first two characters of ids, each of them a folder: enough for a million files, and few enough to look through. */
export const blobPrefixes: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
)

/** What a blob is called. Records may have been written by others, and a name from outside could lead anywhere. */
export function isBlobId(name: string): boolean {
  return /^[0-9a-f]{32}$/.test(name)
}

/** How much is read from a file at a time. */
const readBytes = 262_144

/** Blobs as files that outlive the process: a committed one is on disk under its name, bytes and all. */
export function createFileBlobs({ folder, incoming, settled, reserve = noReserve }: FileBlobsContext): FileBlobs {
  const doomed = new Map<string, Promise<void>>()
  const pathOf = (id: string) => join(folder, id.slice(0, 2), id)

  const found = async (id: string): Promise<FileHandle> => {
    if (!isBlobId(id) || doomed.has(id)) throw new Error(`There is no blob ${id}`)
    return openOwn(pathOf(id), 'read').catch((cause: unknown) => {
      throw new Error(`There is no blob ${id}: ${cause instanceof Error ? cause.message : cause}`, { cause })
    })
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
    create: () => discardingOnFailure(refusingWithoutRoom(createBlobFile({ incoming, pathOf }), reserve)),
    async *read(id, range) {
      const file = await found(id)
      // Closes the file, however the reading ends.
      yield* file.createReadStream({ ...range, highWaterMark: readBytes })
    },
    async path(id) {
      await (await found(id)).close()
      return pathOf(id)
    },
    async remove(id) {
      if (isBlobId(id) && !doomed.has(id)) doomed.set(id, removeLater(id))
    },
    removed,
    close: removed,
  }
}

function refusingWithoutRoom(writer: BlobWriter, reserve: Reserve): BlobWriter {
  return {
    ...writer,
    async write(chunk) {
      if (!reserve.holds()) throw new Error('The disk is full: delete something to make room')
      await writer.write(chunk)
    },
  }
}

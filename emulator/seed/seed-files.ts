import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createFileIntake } from '../service/file-intake.ts'
import { fileFaults, type ReceivedFile } from '../service/file-rules.ts'
import type { Settings } from '../settings/settings.ts'
import type { BlobStore } from '../storage/blob-store.ts'
import { reasonOf } from '../unreadable.ts'
import { type LoadedSeed, seedError } from './load-seed.ts'

/** A file a seed names, and the JSON pointer of the upload it is for. */
export interface NamedFile {
  readonly at: string
  readonly path: string
}

export interface SeedFileContext {
  readonly blobs: BlobStore
  readonly source: LoadedSeed
  /** Those at the start, which a reset goes back to. */
  readonly settings: Settings
}

/**
 * Stores the bytes of files as the service would store them.
 * @returns each by its pointer
 * @throws SeedError naming the file that cannot be read, or that the service would refuse; nothing is then stored
 */
export async function storeFiles(
  files: readonly NamedFile[],
  context: SeedFileContext,
): Promise<ReadonlyMap<string, ReceivedFile>> {
  const stored = new Map<string, ReceivedFile>()
  try {
    for (const file of files) stored.set(file.at, await storeFile(file, context))
    return stored
  } catch (error) {
    for (const { blobId } of stored.values()) if (blobId !== undefined) await context.blobs.remove(blobId)
    throw error
  }
}

async function storeFile({ at, path }: NamedFile, { blobs, source, settings }: SeedFileContext): Promise<ReceivedFile> {
  const { max_file_size: maxBytes, reencode } = settings
  const intake = createFileIntake({ blobs, name: path, maxBytes, reencode })
  try {
    const found = resolve(source.folder, path)
    // A pipe or a device may have no end, and opening one without this flag may never come back.
    await using file = await open(found, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    if (!(await file.stat()).isFile()) throw new Error('it is no regular file')
    for await (const chunk of file.createReadStream({ autoClose: false })) await intake.write(chunk)
  } catch (error) {
    await intake.discard()
    const reason = `names ${path}, which cannot be read: ${reasonOf(error)}`
    throw seedError(source, `${at}/file`, `${reason}. Paths are relative to ${source.folder}`, error)
  }
  const received = await intake.finish()
  const [fault] = fileFaults(received, settings)
  if (fault === undefined) return received
  if (received.blobId !== undefined) await blobs.remove(received.blobId)
  throw seedError(source, `${at}/file`, `names ${path}, which the service refuses: ${fault}`)
}

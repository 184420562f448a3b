import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { reasonOf } from '../../src/system/system-errors.ts'
import { fileMessage } from '../api/response.ts'
import { createFileIntake, fileProblems, type ReceivedFile } from '../service/submitted-file.ts'
import type { Settings } from '../settings/settings.ts'
import type { BlobStore } from '../storage/blobs.ts'
import { type LoadedSeed, seedError } from './load-seed.ts'

export interface NamedFile {
  /** The JSON pointer of its upload. */
  readonly at: string
  readonly path: string
}

export interface SeedFileContext {
  readonly blobs: BlobStore
  readonly source: LoadedSeed
  /** The initial settings, to which a reset returns. */
  readonly settings: Settings
}

/**
 * Stores files as the service would store uploads.
 * @returns the stored files by the JSON pointer of their upload
 * @throws SeedError naming a file that cannot be read or that the service would refuse; no file is stored then
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
    for (const { blobId } of stored.values()) if (blobId !== undefined) context.blobs.remove(blobId)
    throw error
  }
}

async function storeFile({ at, path }: NamedFile, { blobs, source, settings }: SeedFileContext): Promise<ReceivedFile> {
  const { max_file_size: maxBytes, reencode } = settings
  const intake = createFileIntake({ blobs, name: path, maxBytes, reencode })
  try {
    const found = resolve(source.folder, path)
    // Without O_NONBLOCK, opening a pipe can hang.
    await using file = await open(found, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    if (!(await file.stat()).isFile()) throw new Error('it is not a regular file')
    for await (const chunk of file.createReadStream({ autoClose: false })) await intake.write(chunk)
  } catch (error) {
    await intake.discard()
    const reason = `names ${path}, which cannot be read: ${reasonOf(error)}`
    throw seedError(source, `${at}/file`, `${reason}. Paths are relative to ${source.folder}`, error)
  }
  const received = await intake.finish()
  const [problem] = fileProblems(received, settings.max_file_size)
  if (problem === undefined) return received
  if (received.blobId !== undefined) blobs.remove(received.blobId)
  throw seedError(source, `${at}/file`, `names ${path}, which the service refuses: ${fileMessage(problem, settings)}`)
}

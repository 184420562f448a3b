import { mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { blobPrefixes } from './file-blobs.ts'
import { isAlive } from './is-alive.ts'
import { makeFolder } from './make-folder.ts'
import { syncFolder } from './sync-folder.ts'

/** A folder that cannot hold the data, and why; it is as it was. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError'
}

/** The places in a data folder. */
export interface DataFolder {
  readonly path: string
  /** The database; a folder that has it is one of ours. */
  readonly records: string
  readonly blobs: string
  /** Bytes that are still arriving. */
  readonly incoming: string
  readonly firstKey: string
  /** The id of the process that uses the folder; it tells people, and locks nothing. */
  readonly owner: string
}

export function dataFolder(path: string): DataFolder {
  return {
    path,
    records: join(path, 'records.db'),
    blobs: join(path, 'blobs'),
    incoming: join(path, 'tmp'),
    firstKey: join(path, 'first-key'),
    owner: join(path, 'pid'),
  }
}

/** What systems put into folders unasked. */
const systemEntries: readonly string[] = ['.DS_Store', 'lost+found']

/**
 * Makes a folder ours where it is new or empty.
 * @throws DataFolderError where something else is in it
 */
export async function claimFolder({ path, records }: DataFolder): Promise<void> {
  await makeFolder(path)
  const entries = (await readdir(path)).filter((entry) => !systemEntries.includes(entry))
  if (entries.includes('records.db')) return
  if (entries.length > 0) {
    const seen = JSON.stringify(entries[0])
    throw new DataFolderError(`The folder ${path} has ${seen} in it and no data of an emulator: choose an empty one`)
  }
  // Made here rather than by the database, so that it is private, and never opened again by other means: closing any
  // other handle of it would end the lock that the database holds on it.
  const file = await open(records, 'wx', 0o600).catch(unlessItExists)
  await file?.close()
}

/** Makes what is missing in a folder that is ours alone, and notes whose it is. */
export async function furnishFolder({ path, blobs, incoming, owner }: DataFolder): Promise<void> {
  for (const folder of [blobs, incoming]) await makeFolder(folder)
  const present = new Set(await readdir(blobs))
  const missing = blobPrefixes.filter((prefix) => !present.has(prefix))
  for (const prefix of missing) await mkdir(join(blobs, prefix), { mode: 0o700 })
  if (missing.length > 0) await syncFolder(blobs)
  await writeFile(owner, `${process.pid}\n`)
  await syncFolder(path)
}

/** To be called last, while the folder is still ours alone. */
export async function leaveFolder({ owner }: DataFolder): Promise<void> {
  await rm(owner, { force: true })
}

/** Says who uses a folder, as far as that is known. */
export async function describeOwner({ path, owner }: DataFolder): Promise<string> {
  const pid = Number(await readFile(owner, 'utf8').catch(() => ''))
  const who = pid > 0 && isAlive(pid) ? `process ${pid}` : 'another process'
  return `The folder ${path} is in use by ${who}: stop that emulator, or choose another folder`
}

function unlessItExists(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined
  throw error
}

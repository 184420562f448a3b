import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { blobPrefixes } from '../file-blobs.ts'
import { isAlive } from './is-alive.ts'
import { makeFolder } from './make-folder.ts'
import { expectOwnFile, expectOwnFolder, ForeignEntryError, openOwn } from './own-file.ts'
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

/** The database and what SQLite puts next to it. */
const databaseEntries: readonly string[] = ['records.db', 'records.db-wal', 'records.db-shm', 'records.db-journal']

/**
 * Makes a folder ours where it is new or empty.
 * @throws DataFolderError where something else is in it
 */
export async function claimFolder({ path, records }: DataFolder): Promise<void> {
  await makeFolder(path)
  const entries = await entriesOf(path)
  for (const entry of databaseEntries) await expectOwnFile(join(path, entry))
  if (entries.includes('records.db')) return
  refuseForeign(path, entries)
  // Made here rather than by the database, so that it is private, and never opened again by other means: closing any
  // other handle of it would end the lock that the database holds on it.
  const file = await open(records, 'wx', 0o600).catch(unlessItExists)
  await file?.close()
}

/**
 * To be called where the database has nothing in it, not even its mark: it may be new, or what is left of an old one.
 * @throws DataFolderError where something else is in the folder, whose files an empty database would not know
 */
export async function refuseLostRecords({ path }: DataFolder): Promise<void> {
  const entries = (await entriesOf(path)).filter((entry) => !databaseEntries.includes(entry))
  if (!entries.includes('blobs')) return refuseForeign(path, entries)
  throw new DataFolderError(
    `The folder ${path} has files of uploads, but its records.db is empty: put a copy of that database back, ` +
      'or move what is there and begin with an empty folder. Nothing was removed',
  )
}

/** Makes what is missing in a folder that is ours alone, and notes whose it is. */
export async function furnishFolder({ path, blobs, incoming, owner }: DataFolder): Promise<void> {
  for (const folder of [blobs, incoming]) {
    await makeFolder(folder)
    await expectOwnFolder(folder)
  }
  const present = new Set(await readdir(blobs))
  const missing = blobPrefixes.filter((prefix) => !present.has(prefix))
  for (const prefix of missing) await mkdir(join(blobs, prefix), { mode: 0o700 })
  for (const prefix of blobPrefixes) await expectOwnFolder(join(blobs, prefix))
  if (missing.length > 0) await syncFolder(blobs)
  await writeOwner(owner)
  await syncFolder(path)
}

/** To be called last, while the folder is still ours alone. */
export async function leaveFolder({ owner }: DataFolder): Promise<void> {
  if ((await readOwner(owner)) === process.pid) await rm(owner, { force: true })
}

/** Says who uses a folder, as far as that is known. */
export async function describeOwner({ path, owner }: DataFolder): Promise<string> {
  const pid = await readOwner(owner)
  const who = pid !== undefined && isAlive(pid) ? `process ${pid}` : 'another process'
  return `The folder ${path} is in use by ${who}: stop that emulator, or choose another folder`
}

function unlessItExists(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined
  throw error
}

async function entriesOf(path: string): Promise<readonly string[]> {
  return (await readdir(path)).filter((entry) => !systemEntries.includes(entry))
}

function refuseForeign(path: string, [entry]: readonly string[]): void {
  if (entry === undefined) return
  const seen = JSON.stringify(entry)
  throw new DataFolderError(`The folder ${path} has ${seen} in it and no data of an emulator: choose an empty one`)
}

/** A number and a line break, or nothing where the disk was full. */
const ownerText = /^(?:(\d{1,10})\n?)?$/

/** @throws ForeignEntryError where the file says something that no emulator writes */
async function writeOwner(path: string): Promise<void> {
  const file = await openOwn(path, 'write')
  try {
    if ((await file.stat()).size > 0 && !ownerText.test(await textOf(path))) {
      throw new ForeignEntryError(`${path} is no file of the emulator`)
    }
    await file.truncate()
    await file.write(`${process.pid}\n`, 0)
  } finally {
    await file.close()
  }
}

/** Undefined where the file is missing, or says no process. */
async function readOwner(path: string): Promise<number | undefined> {
  const [, pid] = ownerText.exec(await textOf(path).catch(() => '')) ?? []
  return pid === undefined ? undefined : Number(pid)
}

/** As much of a small file as says what it is. */
async function textOf(path: string): Promise<string> {
  const file = await openOwn(path, 'read')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

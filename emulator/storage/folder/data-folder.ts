import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CodedError } from '../../../src/checks/coded-error.ts'
import { isAlive } from '../../../src/system/process-identity.ts'
import { errorCodeOf } from '../../../src/system/system-errors.ts'
import type { EmulatorErrorCode } from '../../emulator-error.ts'
import { blobPrefixes } from '../file-blobs.ts'
import { makeFolder, syncFolder } from './folders.ts'
import { expectFolder, expectOwnFile, ForeignEntryError, openOwn } from './own-entry.ts'

/** The folder cannot hold the data; it is left unchanged. */
export class DataFolderError extends CodedError {
  override readonly name = 'DataFolderError'
  readonly code = 'unusable-data-folder' satisfies EmulatorErrorCode
}

export interface DataFolder {
  readonly path: string
  /** The database; it marks a folder as the emulator's. */
  readonly records: string
  readonly blobs: string
  /** Files still being received. */
  readonly incoming: string
  readonly firstKey: string
  /** The id of the process that uses the folder; for messages only, not a lock. */
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

/** Created by operating systems. */
const systemEntries: readonly string[] = ['.DS_Store', 'lost+found']

/** The database, SQLite's files next to it and the file of turns. */
const databaseEntries = ['', '-wal', '-shm', '-journal', '-turns'].map((end) => `records.db${end}`)

/**
 * Makes a new or empty folder a data folder.
 * @throws DataFolderError if it has other files
 */
export async function claimFolder({ path, records }: DataFolder): Promise<void> {
  await makeFolder(path)
  const entries = await listEntries(path)
  for (const entry of databaseEntries) await expectOwnFile(join(path, entry))
  if (entries.includes('records.db')) return
  refuseForeign(path, entries)
  // Created here to make it private, and never opened by other means: closing another handle would release the
  // database's lock.
  const file = await open(records, 'wx', 0o600).catch(unlessItExists)
  await file?.close()
}

/**
 * Call if the database is empty: it may be new, or may have lost its content.
 * @throws DataFolderError if the folder has other files, which the empty database does not know
 */
export async function refuseMissingRecords({ path }: DataFolder): Promise<void> {
  const entries = (await listEntries(path)).filter((entry) => !databaseEntries.includes(entry))
  if (!entries.includes('blobs')) return refuseForeign(path, entries)
  throw new DataFolderError(
    `The folder ${path} has files of uploads, but its records.db is empty: restore that file from a copy, ` +
      'or start with an empty folder. Nothing was removed',
  )
}

/** Creates missing subfolders and writes the owner file. The folder must be locked. */
export async function prepareFolder({ path, blobs, incoming, owner }: DataFolder): Promise<void> {
  for (const folder of [blobs, incoming]) {
    await makeFolder(folder)
    await expectFolder(folder)
  }
  const present = new Set(await readdir(blobs))
  const missing = blobPrefixes.filter((prefix) => !present.has(prefix))
  for (const prefix of missing) await mkdir(join(blobs, prefix), { mode: 0o700 })
  for (const prefix of blobPrefixes) await expectFolder(join(blobs, prefix))
  if (missing.length > 0) await syncFolder(blobs)
  await writeOwner(owner)
  await syncFolder(path)
}

/** Call last, while the folder is still locked. */
export async function releaseFolder({ owner }: DataFolder): Promise<void> {
  if ((await readOwner(owner)) === process.pid) await rm(owner, { force: true })
}

/** An error message that names who uses the folder, if it is known. */
export async function describeOwner({ path, owner }: DataFolder): Promise<string> {
  const pid = await readOwner(owner)
  const isOther = pid !== undefined && pid !== process.pid && isAlive(pid)
  const who = isOther ? `process ${pid}` : `another emulator${pid === process.pid ? ' of this process' : ''}`
  return `The folder ${path} is in use by ${who}: ${isOther ? 'stop' : 'close'} that emulator, or choose another folder`
}

function unlessItExists(error: unknown): undefined {
  if (errorCodeOf(error) === 'EEXIST') return undefined
  throw error
}

async function listEntries(path: string): Promise<readonly string[]> {
  return (await readdir(path)).filter((entry) => !systemEntries.includes(entry))
}

function refuseForeign(path: string, [entry]: readonly string[]): void {
  if (entry === undefined) return
  const seen = JSON.stringify(entry)
  throw new DataFolderError(`The folder ${path} has ${seen} in it and no emulator data: choose an empty folder`)
}

/** A number and a line break; empty if the disk was full. */
const ownerText = /^(?:(\d{1,10})\n?)?$/

/** @throws ForeignEntryError if the file has content that no emulator writes */
async function writeOwner(path: string): Promise<void> {
  const file = await openOwn(path, 'write')
  try {
    if ((await file.stat()).size > 0 && !ownerText.test(await readStart(path))) {
      throw new ForeignEntryError(`${path} was not written by an emulator`)
    }
    await file.truncate()
    await file.write(`${process.pid}\n`, 0)
  } finally {
    await file.close()
  }
}

/** Undefined if the file is missing or names no process. */
async function readOwner(path: string): Promise<number | undefined> {
  const [, pid] = ownerText.exec(await readStart(path).catch(() => '')) ?? []
  return pid === undefined ? undefined : Number(pid)
}

/** The first 64 bytes of a file. */
async function readStart(path: string): Promise<string> {
  const file = await openOwn(path, 'read')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

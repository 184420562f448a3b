import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { CodedError } from '../../src/checks/coded-error.ts'
import { makePrivateFolder } from '../../src/system/private-file.ts'
import { isAlive } from '../../src/system/processes.ts'
import { reasonOf } from '../../src/system/system-errors.ts'
import type { EmulatorErrorCode } from '../emulator-error.ts'

/** The folder cannot hold the data; it is left unchanged. */
export class DataFolderError extends CodedError {
  override readonly name = 'DataFolderError'
  readonly code = 'unusable-data-folder' satisfies EmulatorErrorCode
}

interface DataFolder {
  readonly path: string
  /** The database; it marks a folder as the emulator's. */
  readonly records: string
  readonly blobs: string
  /** Files still being received. */
  readonly incoming: string
  /** The id of the process that uses the folder; for messages only, not a lock. */
  readonly owner: string
}

export function dataFolder(path: string): DataFolder {
  const within = (name: string) => join(path, name)
  return { path, records: within('records.db'), blobs: within('blobs'), incoming: within('tmp'), owner: within('pid') }
}

/** Created by operating systems. */
const systemEntries = ['.DS_Store', 'lost+found']

/** The database and SQLite's files next to it. */
const databaseEntries = ['', '-wal', '-shm', '-journal'].map((end) => `records.db${end}`)

/**
 * Makes a new or empty folder a data folder.
 * @throws DataFolderError if it has other files
 */
export function claimFolder(folder: DataFolder): void {
  const { path, records } = folder
  makePrivateFolder(path)
  const entries = readdirSync(path)
  refuseLinks(folder)
  if (entries.includes('records.db')) return
  refuseOthers(path)
  // Created here to make it private, and never opened by other means: closing another handle would release the
  // database's lock.
  writeFileSync(records, '', { flag: 'a', mode: 0o600 })
}

/** Someone else may have made the folder: what is written or removed in it must not reach elsewhere. */
function refuseLinks({ path, blobs, incoming, owner }: DataFolder): void {
  for (const entry of [...databaseEntries.map((name) => join(path, name)), blobs, incoming, owner]) {
    const found = lstatSync(entry, { throwIfNoEntry: false })
    if (found?.isSymbolicLink()) throw new Error(`${entry} is a link, which is not followed`)
    if (found?.isFile() && found.nlink > 1) throw new Error(`${entry} is a hard link: the file has another name too`)
    // A pipe would be waited for.
    if (found && !found.isFile() && !found.isDirectory()) throw new Error(`${entry} is no regular file`)
  }
}

/**
 * Call if there is no database, or an empty one: it may be new, or may have lost its content.
 * @throws DataFolderError if the folder has other files, of which an empty database knows nothing
 */
export function refuseOthers(path: string): void {
  const others = readdirSync(path).filter((entry) => ![...systemEntries, ...databaseEntries].includes(entry))
  const [first] = others
  if (first === undefined) return
  throw new DataFolderError(
    others.includes('blobs')
      ? `The folder ${path} has files of uploads, but its records.db is empty: ${restoreAdvice}. Nothing was removed`
      : `The folder ${path} has ${JSON.stringify(first)} in it and no emulator data: choose an empty folder`,
  )
}

/** Ends every error about a damaged database. */
export const restoreAdvice = 'restore that file from a copy, or choose another folder'

/** Creates missing subfolders and writes the owner file. The folder must be locked. */
export async function prepareFolder({ path, blobs, incoming, owner }: DataFolder): Promise<void> {
  for (const folder of [blobs, incoming]) mkdirSync(folder, { mode: 0o700, recursive: true })
  writeFileSync(owner, `${process.pid}\n`, { mode: 0o600 })
  await syncFolder(path)
}

/** Call last, while the folder is still locked. */
export function releaseFolder({ owner }: DataFolder): void {
  if (readOwner(owner) === process.pid) rmSync(owner, { force: true })
}

/** An error that names who uses the folder, if it is known. */
export function folderInUse({ path, owner }: DataFolder, cause: unknown): DataFolderError {
  const pid = readOwner(owner)
  const isOther = pid !== undefined && pid !== process.pid && isAlive(pid)
  const who = isOther ? `process ${pid}` : `another emulator${pid === process.pid ? ' of this process' : ''}`
  const advice = `${isOther ? 'stop' : 'close'} that emulator, or choose another folder`
  return new DataFolderError(`The folder ${path} is in use by ${who}: ${advice}`, { cause })
}

export function unusableFolder({ path }: Pick<DataFolder, 'path'>, cause: unknown): Error {
  if (cause instanceof DataFolderError) return cause
  // The place, if it is inside the folder.
  const { path: place = path }: NodeJS.ErrnoException = Object(cause)
  const reason = `${place === path ? '' : `${place}: `}${reasonOf(cause)}`
  return new DataFolderError(`The folder ${path} cannot be used: ${reason}; choose another folder, or fix this`, {
    cause,
  })
}

/** Undefined if the file is missing or names no process. */
function readOwner(path: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(path, 'utf8'), 10) || undefined
  } catch {
    return undefined
  }
}

/** Makes the file names in a folder survive a power failure; file contents are synced separately. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders, and journals names itself.
  if (process.platform === 'win32') return
  await using folder = await open(path, 'r')
  await folder.sync()
}

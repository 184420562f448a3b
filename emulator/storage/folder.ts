import {
  closeSync,
  constants,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { getSystemErrorMap } from 'node:util'
import { CodedError } from '../../src/checks/coded-error.ts'
import { makePrivateFolder, openPrivateFile } from '../../src/system/private-file.ts'
import { isAlive } from '../../src/system/processes.ts'
import type { EmulatorErrorCode } from '../emulator-error.ts'

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
export function claimFolder({ path, records }: DataFolder): void {
  makePrivateFolder(path)
  if (!statSync(path).isDirectory()) throw new Error(`it is not a folder; ${whatToDo}`)
  for (const entry of databaseEntries) expectOwnFile(join(path, entry))
  const entries = listEntries(path)
  if (entries.includes('records.db')) return
  refuseForeign(path, entries)
  // Created here to make it private, and never opened by other means: closing another handle would release the
  // database's lock.
  closeSync(openSync(records, 'a', 0o600))
}

/**
 * Call if the database is empty: it may be new, or may have lost its content.
 * @throws DataFolderError if the folder has other files, which the empty database does not know
 */
export function refuseMissingRecords({ path }: DataFolder): void {
  const entries = listEntries(path).filter((entry) => !databaseEntries.includes(entry))
  if (!entries.includes('blobs')) refuseForeign(path, entries)
  if (entries.length === 0) return
  throw new DataFolderError(
    `The folder ${path} has files of uploads, but its records.db is empty: restore that file from a copy, ` +
      'or start with an empty folder. Nothing was removed',
  )
}

/** Creates missing subfolders and writes the owner file. The folder must be locked. */
export async function prepareFolder({ path, blobs, incoming, owner }: DataFolder): Promise<void> {
  for (const folder of [blobs, incoming]) {
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) mkdirSync(folder, { mode: 0o700 })
    expectFolder(folder)
  }
  writeOwner(owner)
  await syncFolder(path)
}

/** Call last, while the folder is still locked. */
export function releaseFolder({ owner }: DataFolder): void {
  if (readOwner(owner) === process.pid) rmSync(owner, { force: true })
}

/** An error message that names who uses the folder, if it is known. */
export function describeOwner({ path, owner }: DataFolder): string {
  const pid = readOwner(owner)
  const isOther = pid !== undefined && pid !== process.pid && isAlive(pid)
  const who = isOther ? `process ${pid}` : `another emulator${pid === process.pid ? ' of this process' : ''}`
  return `The folder ${path} is in use by ${who}: ${isOther ? 'stop' : 'close'} that emulator, or choose another folder`
}

export function unusableFolder({ path }: Pick<DataFolder, 'path'>, error: unknown): Error {
  if (error instanceof DataFolderError) return error
  return new DataFolderError(`The folder ${path} cannot be used: ${folderErrorText(path, error)}`, { cause: error })
}

const whatToDo = 'choose another folder, or fix this'

/** Clearer than the system's words, for folders. */
const plainReasons: Readonly<Record<string, string>> = {
  ENOTDIR: 'it, or part of its path, is not a folder',
  ENOENT: 'no folder can be created there',
}

/** The system's words without Node's error code and call, and the path if it is inside the folder. */
function folderErrorText(path: string, error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { errno = 0, path: place = path }: NodeJS.ErrnoException = error
  const known = getSystemErrorMap().get(errno)
  if (known === undefined) return error.message
  const [code, words] = known
  return `${place === path ? '' : `${place}: `}${plainReasons[code] ?? words}; ${whatToDo}`
}

function listEntries(path: string): readonly string[] {
  return readdirSync(path).filter((entry) => !systemEntries.includes(entry))
}

function refuseForeign(path: string, [entry]: readonly string[]): void {
  if (entry === undefined) return
  const seen = JSON.stringify(entry)
  throw new DataFolderError(`The folder ${path} has ${seen} in it and no emulator data: choose an empty folder`)
}

/** A number and a line break; empty if the disk was full. */
const ownerText = /^(?:(\d{1,10})\n?)?$/

/** @throws Error if the file has content that no emulator writes */
function writeOwner(path: string): void {
  expectOwnFile(path)
  const file = openOwn(path, constants.O_RDWR | constants.O_CREAT)
  try {
    if (!ownerText.test(startOf(file))) throw new Error(`${path} was not written by an emulator`)
    ftruncateSync(file)
    writeSync(file, `${process.pid}\n`, 0)
  } finally {
    closeSync(file)
  }
}

/** Undefined if the file is missing or names no process. */
function readOwner(path: string): number | undefined {
  try {
    const file = openOwn(path)
    const [, pid] = ownerText.exec(startOf(file)) ?? []
    closeSync(file)
    return pid === undefined ? undefined : Number(pid)
  } catch {
    return undefined
  }
}

/** The first 64 bytes of a file. */
function startOf(file: number): string {
  const bytes = Buffer.alloc(64)
  return bytes.toString('utf8', 0, readSync(file, bytes, 0, 64, 0))
}

/** Makes the file names in a folder survive a power failure; file contents are synced separately. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders, and journals names itself.
  if (process.platform === 'win32') return
  await using folder = await open(path, 'r')
  await folder.sync()
}

/**
 * Opens a regular file, following no links. It may be another user's, as a volume of a container is.
 * @throws ForeignFileError if it is anything else; the system's error if it does not exist
 */
export function openOwn(path: string, flags: number = constants.O_RDONLY): number {
  return openPrivateFile(path, flags, () => true)
}

const aLink = 'a link, which is not followed'

/** @throws Error if the path is a link or a file */
export function expectFolder(path: string): void {
  const found = lstatSync(path)
  if (!found.isDirectory()) throw new Error(`${path} is ${found.isSymbolicLink() ? aLink : 'not a folder'}`)
}

/** Checks a file that SQLite will open. @throws Error if it is not a regular file with one name */
function expectOwnFile(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isSymbolicLink()) throw new Error(`${path} is ${aLink}`)
  if (found?.isFile() === false) throw new Error(`${path} is not a regular file`)
  if ((found?.nlink ?? 1) > 1) throw new Error(`${path} is a hard link, and its other name would change too`)
}

import { closeSync, constants, ftruncateSync, readSync, type Stats, writeSync } from 'node:fs'
import { lstat, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { getSystemErrorMap } from 'node:util'
import { CodedError } from '../../src/checks/coded-error.ts'
import { openPrivateFile } from '../../src/system/private-file.ts'
import { isAlive } from '../../src/system/processes.ts'
import { errorCodeOf } from '../../src/system/system-errors.ts'
import type { EmulatorErrorCode } from '../emulator-error.ts'

/** The folder cannot hold the data; it is left unchanged. */
export class DataFolderError extends CodedError {
  override readonly name = 'DataFolderError'
  readonly code = 'unusable-data-folder' satisfies EmulatorErrorCode
}

/** A file or folder of the emulator's is something else, which the emulator did not create. */
class ForeignEntryError extends Error {
  override readonly name = 'ForeignEntryError'
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

/** The first two characters of the ids of blobs, each a folder: enough for a million files, few enough to list. */
export const blobPrefixes: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
)

/** Created by operating systems. */
const systemEntries: readonly string[] = ['.DS_Store', 'lost+found']

/** The database and SQLite's files next to it. */
const databaseEntries = ['', '-wal', '-shm', '-journal'].map((end) => `records.db${end}`)

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
  if (readOwner(owner) === process.pid) await rm(owner, { force: true })
}

/** An error message that names who uses the folder, if it is known. */
export async function describeOwner({ path, owner }: DataFolder): Promise<string> {
  const pid = readOwner(owner)
  const isOther = pid !== undefined && pid !== process.pid && isAlive(pid)
  const who = isOther ? `process ${pid}` : `another emulator${pid === process.pid ? ' of this process' : ''}`
  return `The folder ${path} is in use by ${who}: ${isOther ? 'stop' : 'close'} that emulator, or choose another folder`
}

export function unusableFolder({ path }: Pick<DataFolder, 'path'>, error: unknown): Error {
  if (error instanceof DataFolderError) return error
  return new DataFolderError(`The folder ${path} cannot be used: ${folderErrorText(path, error)}`, { cause: error })
}

/** Clearer than the system's words, for folders. */
const plainReasons: Readonly<Record<string, string>> = {
  EEXIST: 'it is not a folder',
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
  return `${place === path ? '' : `${place}: `}${plainReasons[code] ?? words}; choose another folder, or fix this`
}

function unlessItExists(error: unknown): undefined {
  if (errorCodeOf(error) === 'EEXIST') return undefined
  throw error
}

export function nothingIfMissing(error: unknown): undefined {
  if (errorCodeOf(error) === 'ENOENT') return undefined
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
  await expectOwnFile(path)
  const file = openOwn(path, constants.O_RDWR | constants.O_CREAT)
  try {
    if (!ownerText.test(startOf(file))) throw new ForeignEntryError(`${path} was not written by an emulator`)
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

/**
 * Creates a private folder and its missing parents; does nothing if it exists.
 * @throws the system's error if it cannot be created
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if ((await kindOf(path)) === 'folder') return
    // Node's `recursive` never ends on a file system that allows no new folders, such as /proc.
    const isMissing = errorCodeOf(error) === 'ENOENT'
    const parent = dirname(path)
    if (!isMissing || parent === path || (await kindOf(parent)) !== 'nothing') throw error
    await makeFolder(parent)
    await makeFolder(path)
  }
}

async function kindOf(path: string): Promise<'folder' | 'other' | 'nothing'> {
  return stat(path).then(
    (stats) => (stats.isDirectory() ? 'folder' : 'other'),
    () => 'nothing',
  )
}

/** Makes the file names in a folder survive a power failure; file contents are synced separately. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders, and journals names itself.
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** A data folder may belong to another user, as a volume of a container does. */
function isAnyones(): boolean {
  return true
}

/**
 * Opens a regular file for reading; follows no links.
 * @throws ForeignFileError if it is anything else; the system's error if it does not exist
 */
export function openOwn(path: string, flags: number = constants.O_RDONLY): number {
  return openPrivateFile(path, flags, isAnyones)
}

/**
 * Checks a file that SQLite will open.
 * @throws ForeignEntryError if it is not a regular file with one name
 */
async function expectOwnFile(path: string): Promise<void> {
  const found = await lstat(path).catch(nothingIfMissing)
  if (found !== undefined) expectOwn(path, found)
}

/** @throws ForeignEntryError if the path is a link or a file */
export async function expectFolder(path: string): Promise<void> {
  const found = await lstat(path)
  if (!found.isDirectory()) throw new ForeignEntryError(`${path} is ${found.isSymbolicLink() ? aLink : 'not a folder'}`)
}

const aLink = 'a link, which is not followed'

function expectOwn(path: string, found: Stats): void {
  if (found.isSymbolicLink()) throw new ForeignEntryError(`${path} is ${aLink}`)
  if (!found.isFile()) throw new ForeignEntryError(`${path} is not a regular file`)
  if (found.nlink > 1) {
    throw new ForeignEntryError(`${path} is a hard link, and its other name would change too`)
  }
}

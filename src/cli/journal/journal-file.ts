import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { isNamed, openPrivateFile, readPrivateFile } from '../../system/private-file.ts'
import { makePrivateFolder } from '../../system/private-folder.ts'
import { withLock } from './rewrite-lock.ts'

/** A text file to which many processes append and which any of them may rewrite. */
export interface JournalFile {
  /** The whole text; empty where there is no file. */
  read(): string
  /** Appends with one write. */
  append(text: string): void
  /**
   * Replaces the text. Lines that others append meanwhile are kept, perhaps twice.
   * @returns false if another process is rewriting the file
   */
  rewrite(make: (text: string) => string): boolean
}

/**
 * Creates the file at the first append, and its folder if `makeFolder` is set.
 * @throws ForeignFileError in each call, where something other than a file of this user has the name
 */
export function openJournalFile(path: string, { makeFolder }: { readonly makeFolder: boolean }): JournalFile {
  const isThere = () => lstatSync(path, { throwIfNoEntry: false }) !== undefined

  function append(text: string): void {
    if (makeFolder && !isThere()) makePrivateFolder(dirname(path))
    // The file may have been replaced during the write: then the line goes to the new one too.
    while (!appendOnce(path, text));
  }

  return {
    read: () => (isThere() ? readPrivateFile(path).toString('utf8') : ''),
    append,
    rewrite: (make) => withLock(`${path}.lock`, () => replace(path, make, append)),
  }
}

const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT } = constants
const APPEND = O_WRONLY | O_APPEND | O_CREAT

/** @returns whether the file still has its name after the write */
function appendOnce(path: string, text: string): boolean {
  const file = openPrivateFile(path, APPEND)
  try {
    writeWhole(file, text)
    return isNamed(path, fstatSync(file))
  } finally {
    closeSync(file)
  }
}

/** @throws where the disk takes only a part of it */
function writeWhole(file: number, text: string): void {
  const bytes = Buffer.from(text, 'utf8')
  if (writeSync(file, bytes) < bytes.length) throw new Error('it was written in part only: is the disk full?')
}

function replace(path: string, make: (text: string) => string, append: (text: string) => void): void {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  const old = openPrivateFile(path, O_RDONLY)
  try {
    const text = readFileSync(old)
    let position = text.length
    const lateLines = () => {
      const late = readFrom(old, position)
      position += late.length
      return late.toString('utf8')
    }
    const draft = openSync(temporary, 'wx', 0o600)
    try {
      writeWhole(draft, make(text.toString('utf8')))
      fsyncSync(draft)
      // Others may have appended meanwhile: their lines must be here before the rename, after which a kill would lose them.
      writeWhole(draft, lateLines())
    } finally {
      closeSync(draft)
    }
    renameSync(temporary, path)
    // Lines appended after that and before the rename are in the old file.
    const last = lateLines()
    if (last !== '') append(last)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  } finally {
    closeSync(old)
  }
}

function readFrom(file: number, position: number): Buffer {
  const bytes = Buffer.alloc(Math.max(fstatSync(file).size - position, 0))
  const read = bytes.length === 0 ? 0 : readSync(file, bytes, 0, bytes.length, position)
  return bytes.subarray(0, read)
}

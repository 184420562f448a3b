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

/** A text file that many processes append to and any of them may rewrite. */
export interface JournalFile {
  /** All of it; empty where there is none. */
  read(): string
  /** Appends with one write. */
  append(text: string): void
  /**
   * Puts another text in its place. What others append meanwhile is kept, though it may then stand there twice.
   * @returns whether it was done; another may be at it, or have done it
   */
  rewrite(make: (text: string) => string): boolean
}

/**
 * Nothing is made before there is something to append; then with its folder, where that is asked for.
 * @throws ForeignFileError where what is there is not a file of ours: a pipe would have everybody wait for its other side
 */
export function openJournalFile(path: string, { makeFolder }: { readonly makeFolder: boolean }): JournalFile {
  const isThere = () => lstatSync(path, { throwIfNoEntry: false }) !== undefined

  function append(text: string): void {
    if (makeFolder && !isThere()) makePrivateFolder(dirname(path))
    // One that was put aside while this was written is no journal any more; the next look sees the one in its place.
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

/** @returns whether what was written is in the file that has the name now */
function appendOnce(path: string, text: string): boolean {
  const file = openPrivateFile(path, APPEND)
  try {
    writeWhole(file, text)
    return isNamed(path, fstatSync(file))
  } finally {
    closeSync(file)
  }
}

/** @throws where the disk takes a part only: half a line is none, and half a journal must not replace a whole one */
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
      // That took a while: who ends this process after the renaming must not take with it what others wrote meanwhile.
      writeWhole(draft, lateLines())
    } finally {
      closeSync(draft)
    }
    renameSync(temporary, path)
    // Whoever wrote even later wrote into the file put aside.
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

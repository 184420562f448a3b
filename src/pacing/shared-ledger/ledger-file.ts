import { closeSync, constants, fstatSync, readSync, writeSync } from 'node:fs'
import { openPrivateFile } from '../../system/private-file.ts'

/** A file of lines to which many processes append at the same time. */
export interface LedgerFile {
  /** Appends a line in one write, so that lines of several processes never mix. @throws where the disk is full */
  append(line: string): void
  /** The next complete line; undefined at the end. */
  next(): string | undefined
  /** All lines from the beginning. */
  all(): readonly string[]
  sizeBytes(): number
  /** Whether the file was removed, or became shorter. */
  isLost(): boolean
  close(): void
}

/** `create` makes a missing file. */
export type LedgerFileAccess = 'read' | 'append' | 'create'

const { O_RDONLY, O_RDWR, O_APPEND, O_CREAT } = constants
const openFlags: Readonly<Record<LedgerFileAccess, number>> = {
  read: O_RDONLY,
  append: O_RDWR | O_APPEND,
  create: O_RDWR | O_APPEND | O_CREAT,
}

/** @throws as {@link openPrivateFile} does */
export function openLedgerFile(path: string, access: LedgerFileAccess): LedgerFile {
  const fd = openPrivateFile(path, openFlags[access])
  const sizeBytes = () => fstatSync(fd).size
  let lines: readonly string[] = []
  let taken = 0
  let readTo = 0

  /** Takes complete lines only; the rest is read again once it has a line end. */
  function readMore(): void {
    const size = sizeBytes()
    if (size <= readTo) return
    const text = readText(fd, readTo, size)
    const end = text.lastIndexOf('\n') + 1
    readTo += end
    lines = split(text.slice(0, end))
    taken = 0
  }

  return {
    append(line) {
      // The leading line end separates the line from a torn one before it.
      const bytes = Buffer.from(`\n${line}\n`, 'latin1')
      if (writeSync(fd, bytes) < bytes.length) throw new Error('it was written in part only: is the disk full?')
    },
    next() {
      if (taken >= lines.length) readMore()
      const line = lines[taken]
      if (line !== undefined) taken += 1
      return line
    },
    all: () => split(readText(fd, 0, sizeBytes())),
    sizeBytes,
    isLost() {
      const { nlink, size } = fstatSync(fd)
      return nlink === 0 || size < readTo
    },
    close: () => closeSync(fd),
  }
}

function readText(fd: number, from: number, to: number): string {
  const bytes = Buffer.allocUnsafe(to - from)
  return bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, from))
}

function split(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '')
}

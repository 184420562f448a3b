import { closeSync, constants, fstatSync, fsyncSync, readSync, writeSync } from 'node:fs'
import { isNamed, openPrivateFile } from './private-file.ts'

/** `append`: an existing file, for reading too; `create`: the same, made if missing; `new`: made, must not exist. */
export type AppendLogAccess = 'read' | 'append' | 'create' | 'new'

const { O_RDONLY, O_RDWR, O_APPEND, O_CREAT, O_EXCL } = constants
const openFlags: Readonly<Record<AppendLogAccess, number>> = {
  read: O_RDONLY,
  append: O_RDWR | O_APPEND,
  create: O_RDWR | O_APPEND | O_CREAT,
  new: O_RDWR | O_APPEND | O_CREAT | O_EXCL,
}

const LINE_END = 0x0a
const FIRST_BYTES = 4_096

/** @throws as {@link openPrivateFile} does */
export function openAppendLog(path: string, access: AppendLogAccess) {
  const fd = openPrivateFile(path, openFlags[access])
  const sizeBytes = () => fstatSync(fd).size
  let lines: readonly string[] = []
  let taken = 0
  let readTo = 0
  /** The size at the last `rest`. */
  let restedAt = 0

  /** @returns the part after the last line end, which is read again later */
  function readMore(size = sizeBytes()): Buffer {
    const bytes = readBytes(fd, readTo, Math.max(size, readTo))
    const end = bytes.lastIndexOf(LINE_END) + 1
    readTo += end
    lines = split(bytes.subarray(0, end))
    taken = 0
    return bytes.subarray(end)
  }

  return {
    /** Appends a line, or several, in one write: lines of different processes never mix. @throws where the disk is full */
    append(text: string) {
      const bytes = Buffer.from(`\n${text}\n`)
      if (writeSync(fd, bytes) < bytes.length) throw new Error('it was written in part only: is the disk full?')
    },
    /** The next complete line; undefined at the end. */
    next(): string | undefined {
      if (taken >= lines.length) readMore()
      const line = lines[taken]
      if (line !== undefined) taken += 1
      return line
    },
    /** The lines since the last call. A last line without its end is included, and returned again once it is complete. */
    rest(): readonly string[] {
      const before = lines.slice(taken)
      const size = sizeBytes()
      const last = size === restedAt ? undefined : readMore(size)
      const after = last === undefined ? [] : [...lines, ...split(last)]
      taken = lines.length
      restedAt = size
      return [...before, ...after]
    },
    /** The lines of the first 4 kB, a last one without its end included. */
    first: (): readonly string[] => split(readBytes(fd, 0, Math.min(sizeBytes(), FIRST_BYTES))),
    /** All lines from the beginning, a last one without its end included. */
    all: (): readonly string[] => split(readBytes(fd, 0, sizeBytes())),
    sizeBytes,
    /** Whether the file was removed, or became shorter. */
    isLost() {
      const { nlink, size } = fstatSync(fd)
      return nlink === 0 || size < readTo
    },
    /** Whether the path still leads to this file, and no part of it that was read is gone. */
    isNamed() {
      const found = fstatSync(fd)
      return found.size >= readTo && isNamed(path, found)
    },
    flush: () => fsyncSync(fd),
    close: () => closeSync(fd),
  }
}

/**
 * A private file of lines to which many processes append at the same time. Each line has a line end before and after it,
 * so that a torn line affects no other. Readers must skip torn lines.
 */
export type AppendLog = ReturnType<typeof openAppendLog>

function readBytes(fd: number, from: number, to: number): Buffer {
  const bytes = Buffer.allocUnsafe(to - from)
  return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, from))
}

function split(bytes: Buffer): readonly string[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
}

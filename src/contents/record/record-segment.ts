import { closeSync, constants, fstatSync, readSync } from 'node:fs'
import { isNamed, openPrivateFile } from '../../system/private-file.ts'
import { errorCodeOf } from '../../system/system-errors.ts'
import {
  accountAt,
  compareKeys,
  type EntryKey,
  keyOf,
  parseAddress,
  parseEntry,
  type RecordEntry,
  type RecordedAddress,
  recordHeader,
  sizeAt,
  unsortedHeader,
} from './record-lines.ts'

/** A record of a newer version, or a file of another kind; it is neither read nor written. */
export class ForeignRecordError extends Error {
  override readonly name = 'ForeignRecordError'
  readonly path: string

  constructor(path: string, reason: string) {
    super(reason)
    this.path = path
  }
}

const LINE_END = 0x0a
/** Addresses stand before all entries. More accounts than fit are not taken over by a new key. */
const FIRST_BYTES = 16_384
/** Longer than nearly all lines. */
const BLOCK_BYTES = 1_024
/** Of a file that is read whole. */
const PART_BYTES = 1_048_576
/** To look a size up costs as much as to read so many bytes. */
const LOOK_UP_BYTES = 262_144

/**
 * One file of the record.
 * @returns undefined where there is none
 * @throws ForeignRecordError, ForeignFileError, or the system's error
 */
export function openSegment(path: string) {
  const file = openOrMissing(path)
  if (file === undefined) return undefined
  try {
    return segmentOf(file, path)
  } catch (error) {
    closeSync(file)
    throw error
  }
}

export type RecordSegment = NonNullable<ReturnType<typeof openSegment>>

function segmentOf(file: number, path: string) {
  const stats = fstatSync(file)
  const bytes = stats.size
  let takenBytes = 0
  const part = (from: number, to: number): Buffer => {
    takenBytes += to - from
    const found = Buffer.allocUnsafe(Math.max(to - from, 0))
    return found.subarray(0, readSync(file, found, 0, found.length, from))
  }
  const head = part(0, FIRST_BYTES).toString('latin1')
  const isSorted = expectHeader(head, path)

  /** All of the file in parts that end with a line. */
  function* parts(): Generator<Buffer> {
    for (let at = 0; at < bytes; ) {
      const block = part(at, Math.min(at + PART_BYTES, bytes))
      const isLast = at + block.length >= bytes
      // What is longer than a part is no line of an entry.
      const length = isLast ? block.length : block.lastIndexOf(LINE_END) + 1 || block.length
      if (length === 0) return
      at += length
      yield block.subarray(0, length)
    }
  }

  /** Reads all lines. Only those that are wanted become texts of their own. */
  function fromLines<T>(read: (line: string) => T | undefined, isWanted?: (text: string, start: number) => boolean) {
    const found: T[] = []
    for (const block of parts()) {
      const text = block.toString('latin1')
      forEachLine(text, (start, end) => {
        if (isWanted?.(text, start) === false) return
        const value = read(block.toString('latin1', start, end))
        if (value !== undefined) found.push(value)
      })
    }
    return found
  }

  /** The next entry that begins here or later, where line ends say; what cannot be read as one is skipped. */
  function entryFrom(
    from: number,
  ): { readonly key: EntryKey; readonly line: string; readonly end: number } | undefined {
    for (let start = from; start < bytes && takenBytes <= LOOK_UP_BYTES; ) {
      const end = lineEnd(start)
      const line = part(start, end).toString('latin1')
      const key = keyOf(line)
      if (key !== undefined) return { key, line, end: end + 1 }
      start = end + 1
    }
    return undefined
  }

  function lineEnd(from: number): number {
    for (let at = from; at < bytes && takenBytes <= LOOK_UP_BYTES; at += BLOCK_BYTES) {
      const found = part(at, Math.min(at + BLOCK_BYTES, bytes)).indexOf(LINE_END)
      if (found >= 0) return at + found
    }
    return bytes
  }

  /** Where the first entry begins that stands not before a key. */
  function startOf(wanted: EntryKey): number {
    let [low, high] = [0, bytes]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const entry = entryFrom(middle === 0 ? 0 : lineEnd(middle - 1) + 1)
      if (entry !== undefined && compareKeys(entry.key, wanted) < 0) low = entry.end
      else high = middle
    }
    return low
  }

  /** @returns undefined where it takes as long as reading all, because much is damaged or of one size */
  function lookUp(wanted: EntryKey): readonly RecordEntry[] | undefined {
    takenBytes = 0
    const entries: RecordEntry[] = []
    for (let next = entryFrom(startOf(wanted)); next !== undefined; next = entryFrom(next.end)) {
      if (compareKeys(next.key, wanted) !== 0) break
      const entry = parseEntry(next.line)
      if (entry !== undefined) entries.push(entry)
    }
    return takenBytes > LOOK_UP_BYTES ? undefined : entries
  }

  function lookUpAll(account: string, sizes: ReadonlySet<number>): readonly RecordEntry[] | undefined {
    if (!isSorted || sizes.size * LOOK_UP_BYTES >= bytes) return undefined
    const found = [...sizes].map((size) => lookUp({ account, size }))
    return found.includes(undefined) ? undefined : found.flatMap((entries) => entries ?? [])
  }

  return {
    bytes,
    isSorted,
    /** The entries of an account whose size is one of these. */
    bySize(account: string, sizes: ReadonlySet<number>): readonly RecordEntry[] {
      const found = lookUpAll(account, sizes)
      if (found !== undefined) return found
      return fromLines(
        parseEntry,
        (text, start) => sizes.has(sizeAt(text, start)) && accountAt(text, start) === account,
      )
    },
    content: () => ({ addresses: fromLines(parseAddress), entries: fromLines(parseEntry) }),
    of: (accounts: ReadonlySet<string>) => fromLines(parseEntry, (text, start) => accounts.has(accountAt(text, start))),
    addresses: (): readonly RecordedAddress[] => head.split('\n').flatMap((line) => parseAddress(line) ?? []),
    /** Whether the path still leads to this file. */
    isNamed: () => isNamed(path, stats),
    close: () => closeSync(file),
  }
}

/** @returns whether the entries are sorted */
function expectHeader(head: string, path: string): boolean {
  const header = head.slice(0, head.indexOf('\n') + 1)
  if (header === `${recordHeader}\n` || head === '') return true
  if (header === `${unsortedHeader}\n`) return false
  const newer = /^fh-record \d+\n$/.test(header)
  throw new ForeignRecordError(path, newer ? 'a newer version of fh wrote it' : 'it is not a record of fh')
}

function openOrMissing(path: string): number | undefined {
  try {
    return openPrivateFile(path, constants.O_RDONLY)
  } catch (error) {
    if (/^(ENOENT|ENOTDIR)$/.test(String(errorCodeOf(error)))) return undefined
    throw error
  }
}

function forEachLine(text: string, visit: (start: number, end: number) => void): void {
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start)
    const end = found < 0 ? text.length : found
    visit(start, end)
    start = end + 1
  }
}

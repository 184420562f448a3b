import { randomBytes } from 'node:crypto'
import { closeSync, constants, fsyncSync, readFileSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { accountAddress } from '../../system/account-hash.ts'
import { openPrivateFile } from '../../system/private-file.ts'
import { errorCodeOf } from '../../system/system-errors.ts'
import {
  accountAt,
  addressLine,
  entryLine,
  entryStart,
  parseAddress,
  parseEntry,
  type RecordEntry,
  type RecordedAddress,
  recordHeader,
  sizeAt,
} from './record-lines.ts'

/** A lasting list of what accounts have. Only the process that rewrites the journal writes it, as a whole. */
export interface RecordFile {
  /** The entries of an account whose size is one of these. */
  bySize(account: string, sizes: ReadonlySet<number>): readonly RecordEntry[]
  /** All entries of an account. */
  all(account: string): readonly RecordEntry[]
  addresses(): readonly RecordedAddress[]
  /** The names of all entries of an address, by slug. */
  names(baseUrl: string): ReadonlyMap<string, string>
  /** Replaces the whole content. */
  rewrite(change: (content: RecordContent) => RecordContent): void
}

export interface RecordContent {
  readonly addresses: readonly RecordedAddress[]
  readonly entries: readonly RecordEntry[]
}

/** A record of a newer version, or a file of another kind; it is neither read nor written. */
export class ForeignRecordError extends Error {
  override readonly name = 'ForeignRecordError'
}

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = constants
const LINE_END = 0x0a

/** @throws in each call: ForeignRecordError, ForeignFileError, or the system's error; a missing file is an empty record */
export function openRecordFile(path: string): RecordFile {
  function read(): Buffer {
    const bytes = readOrEmpty(path)
    const header = bytes.subarray(0, bytes.indexOf(LINE_END) + 1).toString('latin1')
    if (bytes.length > 0 && header !== `${recordHeader}\n`) {
      const newer = /^fh-record \d+\n$/.test(header)
      throw new ForeignRecordError(newer ? 'a newer version of fh wrote it' : 'it is not a record of fh')
    }
    return bytes
  }

  return {
    bySize(account, sizes) {
      const entries: RecordEntry[] = []
      if (sizes.size === 0) return entries
      const bytes = read()
      const take = (start: number, end: number) => {
        const entry = parseEntry(bytes.toString('latin1', start, end))
        if (entry?.account === account) entries.push(entry)
      }
      if (sizes.size <= SEARCHED_SIZES) {
        for (const size of sizes) forEachLineOf(bytes, entryStart(account, size), take)
        return entries
      }
      forEachLine(bytes, (start, end) => {
        if (sizes.has(sizeAt(bytes, start))) take(start, end)
      })
      return entries
    },
    all(account) {
      return lines(read()).flatMap((line) => {
        const entry = line.startsWith(account) ? parseEntry(line) : undefined
        return entry ? [entry] : []
      })
    },
    addresses: () => parse(firstLines(path), parseAddress),
    names(baseUrl) {
      const names = new Map<string, string>()
      const accounts = new Set<string>()
      for (const line of lines(read())) {
        const entry = accounts.has(accountAt(line)) ? parseEntry(line) : undefined
        if (entry && !names.has(entry.slug)) names.set(entry.slug, entry.name)
        // Addresses stand before all entries.
        const address = entry ? undefined : parseAddress(line)
        if (isAt(address, baseUrl)) accounts.add(address.account)
      }
      return names
    },
    rewrite(change) {
      const before = lines(read())
      writeWhole(path, textOf(change({ addresses: parse(before, parseAddress), entries: parse(before, parseEntry) })))
    },
  }
}

function isAt(address: RecordedAddress | undefined, baseUrl: string): address is RecordedAddress {
  return address !== undefined && accountAddress(address.baseUrl) === accountAddress(baseUrl)
}

function parse<T>(from: readonly string[], read: (line: string) => T | undefined): readonly T[] {
  return from.flatMap((line) => read(line) ?? [])
}

/** Addresses stand before all entries. More accounts than fit are not taken over by a new key. */
const FIRST_BYTES = 16_384

function firstLines(path: string): readonly string[] {
  const file = openOrMissing(path)
  if (file === undefined) return []
  try {
    const bytes = Buffer.alloc(FIRST_BYTES)
    return lines(bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0)))
  } finally {
    closeSync(file)
  }
}

function openOrMissing(path: string): number | undefined {
  try {
    return openPrivateFile(path, O_RDONLY)
  } catch (error) {
    if (/^(ENOENT|ENOTDIR)$/.test(String(errorCodeOf(error)))) return undefined
    throw error
  }
}

function readOrEmpty(path: string): Buffer {
  const file = openOrMissing(path)
  if (file === undefined) return Buffer.alloc(0)
  try {
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

function lines(bytes: Buffer): readonly string[] {
  return bytes.toString('latin1').split('\n')
}

/** So many sizes are found sooner by a search of the bytes for each than by a walk over all lines. */
const SEARCHED_SIZES = 4

/** Visits the lines after the first that begin with a text of ASCII. */
function forEachLineOf(bytes: Buffer, text: string, visit: (start: number, end: number) => void): void {
  const wanted = Buffer.from(`\n${text}`, 'latin1')
  for (let at = bytes.indexOf(wanted); at >= 0; ) {
    const found = bytes.indexOf(LINE_END, at + 1)
    const end = found < 0 ? bytes.length : found
    visit(at + 1, end)
    at = bytes.indexOf(wanted, end)
  }
}

function forEachLine(bytes: Buffer, visit: (start: number, end: number) => void): void {
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LINE_END, start)
    const end = found < 0 ? bytes.length : found
    visit(start, end)
    start = end + 1
  }
}

/** One line for each content and slug of an account: the first, which has the name and time of the upload. */
function textOf({ addresses, entries }: RecordContent): string {
  const first = new Map<string, RecordEntry>()
  for (const entry of entries) {
    const key = `${entry.account} ${entry.sha256} ${entry.slug}`
    if (!first.has(key)) first.set(key, entry)
  }
  const used = new Set([...first.values()].map(({ account }) => account))
  const baseUrls = new Map(
    addresses.flatMap((address) => (used.has(address.account) ? [[address.account, address] as const] : [])),
  )
  return [recordHeader, ...[...baseUrls.values()].map(addressLine), ...[...first.values()].map(entryLine), ''].join(
    '\n',
  )
}

/** The new file has its whole content on the disk before it takes the name. */
function writeWhole(path: string, text: string): void {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const file = openPrivateFile(draft, O_WRONLY | O_CREAT | O_EXCL)
    try {
      const bytes = Buffer.from(text, 'latin1')
      for (let at = 0; at < bytes.length; ) {
        const written = writeSync(file, bytes, at)
        if (written === 0) throw new Error('it was written in part only: is the disk full?')
        at += written
      }
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

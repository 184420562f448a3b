import { randomBytes } from 'node:crypto'
import { closeSync, constants, existsSync, fsyncSync, renameSync, rmSync, writeSync } from 'node:fs'
import { accountAddress } from '../../system/account-hash.ts'
import { openPrivateFile } from '../../system/private-file.ts'
import {
  addressLine,
  compareKeys,
  entryLine,
  type RecordEntry,
  type RecordedAddress,
  recordHeader,
} from './record-lines.ts'
import { openSegment, type RecordSegment } from './record-segment.ts'

export interface RecordContent {
  readonly addresses: readonly RecordedAddress[]
  readonly entries: readonly RecordEntry[]
}

const { O_WRONLY, O_CREAT, O_EXCL } = constants

/** A later file joins those before it that are shorter than so many times its length. */
const JOINED_UP_TO = 4
/** Another process may join files at any time. */
const MOST_TRIES = 100

/**
 * A lasting list of what accounts have, in a file and, beside it, shorter ones with what came later, so that a run neither
 * reads nor writes all of a long list. Only the process that rewrites the journal writes it.
 *
 * @param onUnreadable called where a question cannot be answered: then there are no entries. Default: the call throws
 * @throws in each call: ForeignRecordError, ForeignFileError, or the system's error; a missing file is an empty record
 */
export function openRecordFile(path: string, onUnreadable?: (error: unknown) => void) {
  const pathOf = (number: number) => (number === 0 ? path : `${path}-${number}`)

  /** Files are joined under the name of the oldest, and the others removed after that, the last first. */
  function open(): readonly RecordSegment[] {
    for (let tries = 1; ; tries += 1) {
      const found: RecordSegment[] = []
      try {
        for (let next = openSegment(path); next !== undefined; next = openSegment(pathOf(found.length)))
          found.push(next)
        if (found.every((segment) => segment.isNamed()) || tries === MOST_TRIES) return found
      } catch (error) {
        close(found)
        throw error
      }
      close(found)
    }
  }

  function read<T>(work: (segments: readonly RecordSegment[]) => T): T {
    const segments = open()
    try {
      return work(segments)
    } finally {
      close(segments)
    }
  }

  function entriesOf<T>(of: (segment: RecordSegment) => readonly T[]): readonly T[] {
    try {
      return read((segments) => segments.flatMap(of))
    } catch (error) {
      if (onUnreadable === undefined) throw error
      onUnreadable(error)
      return []
    }
  }

  /** Replaces the files from this one on. None of them is open: some systems do not replace an open file. */
  function replaceFrom(first: number, text: string): void {
    writeWhole(pathOf(first), text)
    let last = first
    while (existsSync(pathOf(last + 1))) last += 1
    for (; last > first; last -= 1) rmSync(pathOf(last))
  }

  return {
    /** The entries of an account whose size is one of these. */
    bySize: (account: string, sizes: ReadonlySet<number>): readonly RecordEntry[] =>
      sizes.size === 0 ? [] : entriesOf((segment) => segment.bySize(account, sizes)),
    /** All entries of an account. */
    all: (account: string): readonly RecordEntry[] => entriesOf((segment) => segment.of(new Set([account]))),
    addresses: (): readonly RecordedAddress[] => entriesOf((segment) => segment.addresses()),
    /** The names of all entries of an address, by slug: of several entries of one upload the first counts. */
    names: (baseUrl: string): ReadonlyMap<string, string> =>
      read((segments) => {
        const addresses = segments.flatMap((segment) => segment.addresses())
        const accounts = new Set(addresses.flatMap((one) => (isAt(one, baseUrl) ? [one.account] : [])))
        const entries = segments.flatMap((segment) => segment.of(accounts))
        return new Map(entries.reverse().map(({ slug, name }) => [slug, name]))
      }),
    /** Adds to the content. */
    add(content: RecordContent): void {
      if (content.entries.length === 0) return
      const { first, text } = read((segments) => {
        let bytes = textOf(content).length
        let first = segments.length
        for (let before = segments[first - 1]; before !== undefined; before = segments[first - 1]) {
          if (before.bytes >= JOINED_UP_TO * bytes && before.isSorted) break
          bytes += before.bytes
          first -= 1
        }
        return { first, text: textOf(joined([...segments.slice(first).map((one) => one.content()), content])) }
      })
      replaceFrom(first, text)
    },
    /** Replaces the whole content. */
    rewrite: (change: (content: RecordContent) => RecordContent): void =>
      replaceFrom(0, textOf(change(read((segments) => joined(segments.map((one) => one.content())))))),
  }
}

export type RecordFile = ReturnType<typeof openRecordFile>

function close(segments: readonly RecordSegment[]): void {
  for (const segment of segments) segment.close()
}

function joined(contents: readonly RecordContent[]): RecordContent {
  return {
    addresses: contents.flatMap(({ addresses }) => addresses),
    entries: contents.flatMap(({ entries }) => entries),
  }
}

function isAt({ baseUrl }: RecordedAddress, address: string): boolean {
  return accountAddress(baseUrl) === accountAddress(address)
}

/** One line for each content and slug of an account: the first, which has the name and time of the upload. */
function textOf({ addresses, entries }: RecordContent): string {
  const first = new Map<string, RecordEntry>()
  for (const entry of entries) {
    const key = `${entry.account} ${entry.sha256} ${entry.slug}`
    if (!first.has(key)) first.set(key, entry)
  }
  const sorted = [...first.values()].sort(compareKeys)
  const used = new Set(sorted.map(({ account }) => account))
  const baseUrls = new Map(
    addresses.flatMap((address) => (used.has(address.account) ? [[address.account, address] as const] : [])),
  )
  return [recordHeader, ...[...baseUrls.values()].map(addressLine), ...sorted.map(entryLine), ''].join('\n')
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

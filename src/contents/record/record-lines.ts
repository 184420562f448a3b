import { aText, readJson } from '../../checks/values.ts'

/** One content that an account has, as far as this machine knows. */
export interface RecordEntry {
  /** {@link accountHash} of address and key. */
  readonly account: string
  /** In bytes. */
  readonly size: number
  /** Of the local file, in hex. */
  readonly sha256: string
  readonly slug: string
  /** The file's base name; no path. */
  readonly name: string
  /** When it was uploaded, in epoch milliseconds. */
  readonly at: number
}

/** First line of a file; another number is another format. */
export const recordHeader = 'fh-record 2'
/** Its entries are in no order. */
export const unsortedHeader = 'fh-record 1'

/** An address whose uploads are recorded under an account: a new key of the same address may take them over. */
export interface RecordedAddress {
  readonly account: string
  readonly baseUrl: string
}

/** ASCII only, so that bytes are characters. Slug and name are JSON, because a service may send any text. */
export function entryLine({ account, size, sha256, at, slug, name }: RecordEntry): string {
  const line = `${account} ${size} ${sha256} ${at.toFixed(0)} ${asciiJson(slug)} ${asciiJson(name)}`
  return `${line} ${checksumOf(line)}`
}

/** What the lines of entries are sorted by. */
export type EntryKey = Pick<RecordEntry, 'account' | 'size'>

/** @returns undefined for a damaged line */
export function keyOf(line: string): EntryKey | undefined {
  const [, account, size] = /^([0-9a-f]{16}) (\d{1,15}) /.exec(line) ?? []
  return account === undefined || !isSound(line) ? undefined : { account, size: Number(size) }
}

/** Negative where `one` stands before `other`. */
export function compareKeys(one: EntryKey, other: EntryKey): number {
  if (one.account === other.account) return one.size - other.size
  return one.account < other.account ? -1 : 1
}

export function addressLine({ account, baseUrl }: RecordedAddress): string {
  return `${account} @ ${asciiJson(baseUrl)}`
}

export function parseAddress(line: string): RecordedAddress | undefined {
  const match = /^([0-9a-f]{16}) @ (".*")$/.exec(line)
  if (match === null) return undefined
  const [, account = '', json = ''] = match
  const baseUrl = readJson(aText, json)
  return baseUrl === undefined ? undefined : { account, baseUrl }
}

/**
 * Version 1.0 wrote times that another machine had told with a fraction.
 * @returns undefined for a damaged line, and for one that no service needs
 */
export function parseEntry(line: string): RecordEntry | undefined {
  if (line.length > LONGEST_LINE) return undefined
  const match =
    /^([0-9a-f]{16}) (\d{1,15}) ([0-9a-f]{64}) (\d{1,15})(?:\.\d+)? ("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")( [0-9a-f]{8})?$/.exec(
      line,
    )
  if (match === null || (match[7] !== undefined && !isSound(line))) return undefined
  const [, account = '', size, sha256 = '', at, slugJson = '', nameJson = ''] = match
  const [slug, name] = [readJson(aText, slugJson), readJson(aText, nameJson)]
  if (slug === undefined || name === undefined) return undefined
  return { account, size: Number(size), sha256, at: Number(at), slug, name }
}

/** The account at the beginning of a line. */
export function accountAt(text: string, lineStart: number): string {
  return text.slice(lineStart, lineStart + ACCOUNT_LENGTH)
}

/** The size after it. */
export function sizeAt(text: string, lineStart: number): number {
  const start = lineStart + ACCOUNT_LENGTH + 1
  return Number.parseInt(text.slice(start, start + LONGEST_SIZE), 10)
}

/** When the upload of a line was stored or seen; NaN for a line that says no time. */
export function timeOf(line: string): number {
  const start = line.indexOf(' ', ACCOUNT_LENGTH + 1) + 1 + HASH_LENGTH + 1
  return Number.parseInt(line.slice(start, start + LONGEST_TIME), 10)
}

/** In characters; longer ones exhaust the stack of a regular expression. */
const LONGEST_LINE = 65_536

/** Lines of the first version have no checksum. */
function isSound(line: string): boolean {
  return line.slice(-CHECKSUM_LENGTH) === checksumOf(line.slice(0, -CHECKSUM_LENGTH - 1))
}

const CHECKSUM_LENGTH = 8

/** FNV-1a: another character anywhere makes it another. */
function checksumOf(line: string): string {
  let sum = 0x811c9dc5
  for (let at = 0; at < line.length; at += 1) sum = Math.imul(sum ^ line.charCodeAt(at), 0x01000193)
  return (sum >>> 0).toString(16).padStart(CHECKSUM_LENGTH, '0')
}

const ACCOUNT_LENGTH = 16
const HASH_LENGTH = 64
const [LONGEST_SIZE, LONGEST_TIME] = [15, 15]

function asciiJson(value: string): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

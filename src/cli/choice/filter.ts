import type { Command } from 'commander'
import { eachPage } from '../../client/each-page.ts'
import { parseCreatedAt } from '../../client/exactly-once/candidates.ts'
import type { Client, Upload } from '../../index.ts'
import { essence, mediaTypes } from '../../protocol/media-types.ts'
import { readByteSize, readDuration } from '../../protocol/quantities.ts'
import type { NameOf } from '../../uploads/names.ts'
import { type CliError, usageError } from '../failures/cli-error.ts'
import { hints } from '../failures/hints.ts'
import { quotedValue, readGlobFlag } from '../input/flag-values.ts'
import { parseGlob } from '../input/glob.ts'

/** `olderThan`: of `fh delete` only; the same as `before` with a duration. */
const names = ['type', 'since', 'before', 'larger', 'smaller', 'name', 'olderThan'] as const

export type FilterFlags = { readonly [Name in (typeof names)[number]]?: string | undefined }

export const uploadTypes: readonly string[] = ['image', 'video', ...mediaTypes.map(({ mimeType }) => mimeType)]

/** Declares the filters that list, download and delete share. */
export function addFilterFlags(command: Command): Command {
  return command
    .optionsGroup('Which uploads:')
    .option('--type <type>', 'image, video, or one type such as image/png')
    .option('--since <when>', 'uploaded since: 7d (days back), 2026-11-20')
    .option('--before <when>', 'uploaded before: 12h, 2026-11-20T10:00')
    .option('--larger <size>', 'larger than this, such as 10MB')
    .option('--smaller <size>', 'smaller than this')
    .option('--name <glob>', "whose name matches, such as 'IMG_*.{jpg,png}'")
}

export function isFiltered(flags: FilterFlags): boolean {
  return names.some((name) => flags[name] !== undefined)
}

/** Which uploads are meant: those for which all of these hold. */
export interface UploadFilter {
  /** `image`, `video` or a MIME type. */
  readonly type?: string | undefined
  /** Uploaded at this time or later, in epoch milliseconds. */
  readonly since?: number | undefined
  /** Uploaded before this time, in epoch milliseconds. */
  readonly before?: number | undefined
  readonly larger?: number | undefined
  readonly smaller?: number | undefined
  /** Whether a name is meant. An upload without a name is not. */
  readonly name?: ((name: string) => boolean) | undefined
}

const timeHint = hints.writeLike('7d or 12h, back from now, or a date: 2026-11-20, 2026-11-20T10:00')

/**
 * Reads the filters of a command line.
 * @param now epoch milliseconds
 * @throws CliError of code `usage` for a value that means nothing, and for filters that no upload can match
 */
export function readFilter(flags: FilterFlags, now: number): UploadFilter {
  const { type, since, before, larger, smaller, name, olderThan } = flags
  if (before !== undefined && olderThan !== undefined) throw usageError('--older-than and --before say the same')
  const moment = (text: string) => readMoment(text, now)
  const age = read('--older-than', olderThan, readAge, ageHint)
  const filter: UploadFilter = {
    type: type === undefined ? undefined : readType(type),
    since: read('--since', since, moment, timeHint),
    before: age === undefined ? read('--before', before, moment, timeHint) : now - age,
    larger: read('--larger', larger, readSize, sizeHint),
    smaller: read('--smaller', smaller, readSize, sizeHint),
    name: name === undefined ? undefined : readName(name),
  }
  if (filter.since !== undefined && filter.before !== undefined && filter.since >= filter.before) {
    const end = before === undefined ? `--older-than ${olderThan}` : `--before ${before}`
    throw nothingCanMatch(`--since ${since} is not before ${end}`)
  }
  if (filter.larger !== undefined && filter.smaller !== undefined && filter.larger + 1 >= filter.smaller) {
    throw nothingCanMatch(`No size is above --larger ${larger} and below --smaller ${smaller}`)
  }
  return filter
}

function nothingCanMatch(why: string): CliError {
  return usageError(`${why}: no upload can match`)
}

/**
 * The value of a flag, if it is given.
 * @param reading throws a TypeError that completes a sentence about the value
 */
function read<T>(flag: string, value: string | undefined, reading: (value: string) => T, hint: string): T | undefined {
  if (value === undefined) return undefined
  try {
    return reading(value)
  } catch (error) {
    if (error instanceof TypeError) throw usageError(`${flag}: ${quotedValue(value)} ${error.message}`, hint)
    throw error
  }
}

const sizeHint = hints.writeLike('10MB, 512KB or a number of bytes')

function readSize(text: string): number {
  const bytes = readByteSize(text)
  if (bytes === undefined) throw new TypeError('is not a size')
  return bytes
}

/** A name has no folders: in a title, a slash is a character like any other. */
const withoutFolders = (text: string) => text.replaceAll('/', '\0')

function readName(text: string): (name: string) => boolean {
  const glob = readGlobFlag('--name', text, () => parseGlob(withoutFolders(text)))
  return (name) => glob.matches(withoutFolders(name))
}

const ageHint = hints.writeLike('30d or 12h; a date is for --before')

function readType(text: string): string {
  const type = text.trim().toLowerCase()
  if (uploadTypes.includes(type)) return type
  throw usageError(`--type: no upload is of the type ${quotedValue(text)}`, hints.oneOf('Types', uploadTypes))
}

const date = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?(Z|[+-]\d\d:\d\d)?)?$/i

/**
 * Reads a time in the past: a duration back from now, such as `7d`, or a date: `2026-11-20` (its beginning),
 * `2026-11-20T10:00`, both in the local time zone, or with a `Z` or an offset.
 *
 * @param now epoch milliseconds
 * @returns epoch milliseconds
 * @throws TypeError that says what is wrong with the text
 */
function readMoment(text: string, now: number): number {
  const isDate = date.test(text.trim())
  const moment = isDate ? readDate(text.trim()) : now - readAge(text, 'neither a date nor a duration with a unit')
  if (moment > now) throw new TypeError('is in the future')
  return moment
}

/**
 * Reads a duration with a unit: `2026` seconds would be a year that lacks its month.
 * @param what what a text is that cannot be read
 * @returns milliseconds, above zero
 * @throws TypeError that says what is wrong with the text
 */
function readAge(text: string, what = 'not a duration with a unit'): number {
  const ms = /\d\s*$/.test(text) ? undefined : readDuration(text)
  if (ms === undefined) throw new TypeError(`is ${what}`)
  if (ms === 0) throw new TypeError('is zero')
  return ms
}

function readDate(text: string): number {
  const [, year, month, day, hours = '00', minutes = '00', seconds = '00', zone = ''] = date.exec(text) ?? []
  const [dayPart, timePart] = [`${year}-${month}-${day}`, `${hours}:${minutes}:${seconds}`]
  // Date moves 31 February on into March, in silence.
  const asUtc = new Date(`${dayPart}T${timePart}Z`)
  const exists = !Number.isNaN(asUtc.getTime()) && asUtc.toISOString().startsWith(`${dayPart}T${timePart}`)
  const moment = Date.parse(`${dayPart}T${timePart}${zone.toUpperCase()}`)
  if (!exists || Number.isNaN(moment)) throw new TypeError('is not a date of the calendar')
  return moment
}

/** Whether one upload is meant. What is not proven is not: `fh delete` deletes what is. */
export function isMeant(upload: Upload, filter: UploadFilter, nameOf: NameOf): boolean {
  const { type, since, before, larger, smaller, name } = filter
  const fits =
    (type === undefined || isOfType(upload.mime_type, type)) &&
    (larger === undefined || upload.size > larger) &&
    (smaller === undefined || upload.size < smaller) &&
    (name === undefined || isNamed(nameOf(upload), name))
  if (!fits || (since === undefined && before === undefined)) return fits
  const at = parseCreatedAt(upload.created_at)
  if (at === undefined) return false
  return at >= (since ?? Number.NEGATIVE_INFINITY) && at < (before ?? Number.POSITIVE_INFINITY)
}

function isOfType(mimeType: string, type: string): boolean {
  return type.includes('/') ? essence(mimeType) === type : essence(mimeType).startsWith(`${type}/`)
}

function isNamed(name: string | null, matches: (name: string) => boolean): boolean {
  return name !== null && matches(name)
}

/** Services sort by local time, of which up to two hours come twice when clocks are set back. */
const REPEATED_MS = 7_200_000

/**
 * Tells when the rest of a list is older than `since`: after a page of which all is, in a list that is newest first so far,
 * as spec 4.2 has it.
 *
 * @param since epoch milliseconds; undefined where any age is meant
 * @returns whether the rest is too old after this page
 */
function createAgeWatch(since = Number.NEGATIVE_INFINITY): (page: readonly Upload[]) => boolean {
  let oldest = Number.POSITIVE_INFINITY
  let isInOrder = true
  return (page) => {
    let newest = Number.NEGATIVE_INFINITY
    for (const { created_at } of page) {
      const at = parseCreatedAt(created_at)
      if (at === undefined) continue
      if (at > oldest + REPEATED_MS) isInOrder = false
      oldest = Math.min(oldest, at)
      newest = Math.max(newest, at)
    }
    return isInOrder && newest > Number.NEGATIVE_INFINITY && newest < since - REPEATED_MS
  }
}

/**
 * The uploads that a filter means, newest first. Reads the list to its end, at a unit per page, or until its order proves
 * that all others are too old.
 */
export async function* matchingUploads(
  filter: UploadFilter,
  tools: { readonly client: Pick<Client, 'list'>; readonly nameOf: NameOf; readonly signal: AbortSignal },
): AsyncGenerator<Upload, void, undefined> {
  const { client, nameOf, signal } = tools
  const isRestTooOld = createAgeWatch(filter.since)
  for await (const page of eachPage((page) => client.list({ page, signal }))) {
    for (const upload of page) if (isMeant(upload, filter, nameOf)) yield upload
    if (isRestTooOld(page)) break
  }
}

import { mediaTypes } from '../../protocol/media-types.ts'
import { readByteSize, readDuration } from '../../protocol/quantities.ts'
import { type CliError, usageError } from '../failures/cli-error.ts'
import { didYouMean } from '../failures/did-you-mean.ts'
import { quotedValue, readGlobFlag } from '../input/flag-values.ts'
import { parseGlob } from '../input/glob.ts'
import { type FilterFlags, uploadTypes } from './filter-flags.ts'
import type { UploadFilter } from './upload-filter.ts'

const timeHint = 'Write a duration back such as 7d or 12h, or a date: 2026-11-20, 2026-11-20T10:00'

/**
 * Reads the filters of a command line.
 * @param now epoch milliseconds
 * @throws CliError of code `usage` for a value that means nothing, and for filters that no upload can match
 */
export function readFilter(flags: FilterFlags, now: number): UploadFilter {
  const { type, since, before, larger, smaller, name, olderThan } = flags
  if (before !== undefined && olderThan !== undefined) {
    throw usageError('--older-than and --before say the same', 'Give one of them')
  }
  const moment = (text: string) => readMoment(text, now)
  const filter: UploadFilter = {
    ...(type !== undefined && { type: readType(type) }),
    ...(since !== undefined && { since: read('--since', since, moment, timeHint) }),
    ...(before !== undefined && { before: read('--before', before, moment, timeHint) }),
    ...(olderThan !== undefined && { before: now - read('--older-than', olderThan, readAge, ageHint(olderThan)) }),
    ...(larger !== undefined && { larger: read('--larger', larger, readSize, sizeHint) }),
    ...(smaller !== undefined && { smaller: read('--smaller', smaller, readSize, sizeHint) }),
    ...(name !== undefined && { name: readName(name) }),
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
  return usageError(`${why}: no upload can match`, 'Swap the values, or leave one out')
}

/** @param reading throws a TypeError that completes a sentence about the value */
function read<T>(flag: string, value: string, reading: (value: string) => T, hint: string): T {
  try {
    return reading(value)
  } catch (error) {
    if (error instanceof TypeError) throw usageError(`${flag}: ${quotedValue(value)} ${error.message}`, hint)
    throw error
  }
}

const sizeHint = 'Write 10MB, 512KB or a number of bytes'

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

function ageHint(text: string): string {
  return /^\d{4}-/.test(text) ? `For a date: --before ${text}` : 'Write a duration such as 30d or 12h'
}

function readType(text: string): string {
  const type = text.trim().toLowerCase()
  if (uploadTypes.includes(type)) return type
  const known = mediaTypes.find(({ extension, label }) => extension === type || label.toLowerCase() === type)
  const hint = didYouMean(known?.mimeType ?? type, uploadTypes, `Types: ${uploadTypes.join(', ')}`)
  throw usageError(`--type: no upload is of the type ${quotedValue(text)}`, hint)
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
export function readMoment(text: string, now: number): number {
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
export function readAge(text: string, what = 'not a duration with a unit'): number {
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

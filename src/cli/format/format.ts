import { counted, readByteSize, readDuration } from '../../protocol/quantities.ts'

/** Characters that control a terminal or hide text: C0, DEL, C1, line separators, marks of text direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this pattern finds control characters
export const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** Makes untrusted text safe to print: control characters become escapes such as `\x1b` or `\u202e`. */
export function printable(text: string): string {
  return text.replace(controls, (character) => {
    const code = character.charCodeAt(0)
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}

/** JSON that is safe to print, in one line or indented: control characters are escaped, the value is the same. */
export function toJson(value: unknown, isIndented = false): string {
  return printableJson(JSON.stringify(value, null, isIndented ? 2 : 0))
}

/** Makes untrusted JSON safe to print. Control characters can only occur within its strings, where they are escaped. */
export function printableJson(text: string): string {
  return text.replace(controls, (character) =>
    /[\n\r\t]/.test(character) ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** A path, or a URL without its query, which may hold a signature. */
export function shownFile(file: string): string {
  return file.replace(/^([a-z][a-z\d+.-]+:\/\/[^?#]*)[?#].*/is, '$1')
}

/** More files than this are counted instead of named. */
const MOST_NAMED = 3

export function fileNames(files: readonly string[]): string {
  if (files.length > MOST_NAMED) return counted(files.length, 'file')
  return files.map((file) => printable(shownFile(file))).join(', ')
}

/** As the service counts: 1 KB is 1,024 bytes, 1 MB is 1,024 KB. */
const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/**
 * Reads `200MB`, `512 KiB`, `1.5g`; a bare number is bytes.
 * @throws TypeError with examples of valid sizes
 */
export function parseByteSize(text: string): number {
  const bytes = readByteSize(text)
  if (bytes !== undefined) return bytes
  throw new TypeError(`${JSON.stringify(text)} is not a file size: write 200MB, 512KB or a number of bytes`)
}

/** `0 B`, `83.1 KB`, `200 MB`. */
export function formatByteSize(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1)
  const amount = bytes / 1_024 ** power
  const digits = power === 0 || amount >= 100 || Number.isInteger(amount) ? 0 : 1
  return `${amount.toFixed(digits)} ${units[power]}`
}

/**
 * Reads `500ms`, `2s`, `5m`, `1h`, `1d`; a bare number is seconds.
 * @returns milliseconds
 * @throws TypeError with examples of valid durations
 */
export function parseDuration(text: string): number {
  const ms = readDuration(text)
  if (ms !== undefined) return ms
  throw new TypeError(`${JSON.stringify(text)} is not a duration: write 500ms, 2s, 5m or 1h`)
}

/** `0.4 s`, `42 s`, `3 min 20 s`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(Math.ceil(ms / 100) / 10, 0.1)} s`
  // To the nearest: a wait of 60 s and the margin of the pacer is one of 60 s.
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return inTwo(Math.floor(seconds / 60), 'min', seconds % 60, 's')
  const minutes = Math.ceil(seconds / 60)
  return inTwo(Math.floor(minutes / 60), 'h', minutes % 60, 'min')
}

function inTwo(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Older times are better shown as a date. */
const LONGEST_AGE_MS = 30 * DAY_MS

/**
 * `just now`, `5 min ago`, `3 h ago`, `12 d ago`; undefined for a time more than 30 days ago, or more than a minute in
 * the future.
 *
 * @param at epoch milliseconds
 */
export function relativeTime(at: number, now: number): string | undefined {
  const age = now - at
  if (Number.isNaN(age) || age < -MINUTE_MS || age >= LONGEST_AGE_MS) return undefined
  if (age < MINUTE_MS) return 'just now'
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min ago`
  return age < DAY_MS ? `${Math.floor(age / HOUR_MS)} h ago` : `${Math.floor(age / DAY_MS)} d ago`
}

/**
 * A time in the local time zone: `16:10` today, `Tue 09:12` within six days, `2026-11-21 09:12` otherwise.
 *
 * @param now epoch milliseconds, as is the instant
 * @param seconds whether to add the seconds
 */
export function formatClockTime(instant: number, now: number, { seconds = false } = {}): string {
  const date = new Date(instant)
  const [day, exact = ''] = localTime(date).split(' ')
  const time = seconds ? exact : exact.slice(0, 5)
  if (date.toDateString() === new Date(now).toDateString()) return time
  if (Math.abs(instant - now) < 6 * DAY_MS) return `${date.toLocaleDateString('en', { weekday: 'short' })} ${time}`
  return `${day} ${time}`
}

/** `2026-11-21 09:30` in the local time zone; text that is not an ISO 8601 time with a zone stays as it is. */
export function formatDate(value: string): string {
  const date = instantOf(value)
  return date === undefined ? printable(value) : localTime(date).slice(0, 16)
}

/** `2026-11-21 09:30:12 +02:00` in the local time zone. */
export function formatExactDate(value: string): string {
  const date = instantOf(value)
  if (date === undefined) return printable(value)
  const east = -date.getTimezoneOffset()
  const zone = new Date(Math.abs(east) * MINUTE_MS).toISOString().slice(11, 16)
  return `${localTime(date)} ${east < 0 ? '-' : '+'}${zone}`
}

/** Undefined for text without a time zone, since it does not determine a time. */
function instantOf(value: string): Date | undefined {
  const isInstant = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})$/.test(value)
  const date = new Date(isInstant ? value : Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** `2026-11-21 09:30:12` in the local time zone. */
function localTime(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS)
  return local.toISOString().slice(0, 19).replace('T', ' ')
}

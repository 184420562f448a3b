import { readDuration } from '../../protocol/quantities.ts'

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

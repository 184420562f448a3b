import { nextWholeSecond } from '../../values/offset-date-time.ts'

/** Characters that show nothing, or turn the text around them. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/**
 * Any value of a record as text of limited length; what could not be seen is written as its number.
 * @param hasLines whether ends of lines and tabs stay
 */
export function shown(value: unknown, mostLength = 200, hasLines = false): string {
  const text = typeof value === 'string' ? value : value == null ? '' : String(JSON.stringify(value) ?? value)
  const cut = text.length > mostLength ? `${text.slice(0, mostLength)}…` : text
  return cut.replace(unseen, (character) =>
    hasLines && /[\n\r\t]/.test(character)
      ? character
      : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}

/** Writes instants in the service's time zone, with the date if it is another day than now. @param now epoch milliseconds */
export function timesIn(timezone: string, now: number) {
  const today = wallTime(now, timezone).slice(0, 11)
  const write = (epochMs: number, fraction = '') => {
    if (!Number.isFinite(epochMs) || Math.abs(epochMs) > 8.64e15) return 'unknown'
    const text = wallTime(epochMs, timezone)
    return (text.startsWith(today) ? text.slice(today.length) : text) + fraction
  }
  return {
    /** `12:01:30`. */
    second: (at: string) => write(Date.parse(at)),
    /** An instant (ISO 8601) not before which something may be done, in whole seconds, never too early. */
    due: (at: string) => write(nextWholeSecond(Date.parse(at))),
    /** `12:01:30.123`. */
    precise: (at: string) => write(Date.parse(at), `.${new Date(Date.parse(at) || 0).toISOString().slice(-4, -1)}`),
  }
}

export type Times = ReturnType<typeof timesIn>

/** Making one takes longer than writing a hundred instants. */
const formats = new Map<string, Intl.DateTimeFormat>()

/** An instant as a clock on the wall of a zone shows it: `2026-01-15 14:00:00`. @param timeZone an IANA name */
export function wallTime(epochMs: number, timeZone: string): string {
  const format =
    formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone })
  formats.set(timeZone, format)
  return format.format(epochMs)
}

const units = [
  ['day', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** A span in its two largest units, in whole seconds, rounded up: `1 min 5 s`. */
export function spanText(ms: number): string {
  let left = Math.max(Math.ceil(ms / 1_000), 0)
  const parts = units.map(([unit, seconds]) => {
    const count = Math.floor(left / seconds)
    left -= count * seconds
    return count > 0 && `${count} ${unit}${unit === 'day' && count > 1 ? 's' : ''}`
  })
  return parts.filter(Boolean).slice(0, 2).join(' ') || '0 s'
}

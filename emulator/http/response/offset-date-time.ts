import { offsetAt } from '../../values/zone-offset.ts'

/** The format of an instant; `zulu` is UTC in any time zone. */
export type DateTimeFormat = 'seconds' | 'micros' | 'compact_offset' | 'zulu'

/**
 * An instant as local time with a numeric offset (spec 2.1), such as `2026-01-15T14:00:00+02:00`; `micros` and `zulu`
 * add six digits of a second.
 */
export function offsetDateTime(epochMs: number, timeZone: string, format: DateTimeFormat = 'seconds'): string {
  const offset = format === 'zulu' ? 0 : offsetAt(epochMs, timeZone)
  const local = new Date(Math.floor(epochMs) + offset * 60_000).toISOString()
  const time = format === 'micros' || format === 'zulu' ? `${local.slice(0, 23)}000` : local.slice(0, 19)
  if (format === 'zulu') return `${time}Z`
  const size = Math.abs(offset)
  const separator = format === 'compact_offset' ? '' : ':'
  return `${time}${offset < 0 ? '-' : '+'}${twoDigits(Math.floor(size / 60))}${separator}${twoDigits(size % 60)}`
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}

/** The format of an instant; `zulu` is UTC in any time zone. */
type DateTimeFormat = 'seconds' | 'micros' | 'compact_offset' | 'zulu'

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

/** Minutes east of UTC by time zone and quarter of an hour, within which no zone changes: to ask for one is expensive. */
const knownOffsets = new Map<string, number>()
const quarterMs = 900_000

/** A year has 35,000 quarters. */
const mostKnown = 50_000

/** Creating a formatter is expensive too. */
const formatters = new Map<string, Intl.DateTimeFormat>()

/** How many minutes a time zone is east of UTC at an instant. */
export function offsetAt(epochMs: number, timeZone: string): number {
  const quarter = `${timeZone} ${Math.floor(epochMs / quarterMs)}`
  const offset = knownOffsets.get(quarter) ?? askForOffset(epochMs, timeZone)
  if (knownOffsets.size >= mostKnown) knownOffsets.clear()
  knownOffsets.set(quarter, offset)
  return offset
}

function askForOffset(epochMs: number, timeZone: string): number {
  const formatter = formatters.get(timeZone) ?? new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  formatters.set(timeZone, formatter)
  const name = formatter.formatToParts(epochMs).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? []
  if (sign === undefined) return 0
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

/**
 * The first whole second at or after an instant. Times at which something is possible again are told so, on pages and in
 * headers: who comes at a time that was rounded down is refused.
 */
export function nextWholeSecond(epochMs: number): number {
  return Math.ceil(epochMs / 1_000) * 1_000
}

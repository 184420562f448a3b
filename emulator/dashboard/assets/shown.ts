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

export type Times = ReturnType<typeof timesOn>

interface TimeState {
  readonly settings?: { readonly timezone: string } | undefined
  readonly clock?: { readonly now: string } | undefined
}

/** By zone and day: rows that are written with the same one need not be drawn again. */
const made = new Map<string, Times>()

export function times({ settings, clock }: TimeState): Times {
  const zone = settings?.timezone ?? 'UTC'
  const today = wallTime(Date.parse(clock?.now ?? '1970-01-01'), zone).slice(0, 11)
  const known = made.get(today + zone) ?? timesOn(today, zone)
  made.set(today + zone, known)
  return known
}

/** Writes instants in the service's time zone, with the date if it is another day than today. */
function timesOn(today: string, zone: string) {
  const write = (epochMs: number) => wallTime(epochMs, zone).replace(today, '')
  return {
    /** `12:01:30`. */
    second: (at: string) => write(Date.parse(at)),
    /** An instant not before which something may be done, in whole seconds, never too early. */
    due: (at: string) => write(nextWholeSecond(Date.parse(at))),
    /** `12:01:30.123`. */
    precise: (at: string) => write(Date.parse(at)) + (/\.\d+/.exec(at) ?? ''),
  }
}

/** Making one takes longer than writing a hundred instants. */
const formats = new Map<string, Intl.DateTimeFormat>()

/** An instant as a clock on the wall of a zone shows it: `2026-01-15 14:00:00`. @param timeZone an IANA name */
export function wallTime(epochMs: number, timeZone: string): string {
  if (Number.isNaN(new Date(epochMs).valueOf())) return 'unknown'
  const format =
    formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone })
  formats.set(timeZone, format)
  return format.format(epochMs)
}

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

/** Writes instants in the service's time zone. */
export interface Times {
  /** `12:01:30`; with the date if it is another day than now. */
  second(epochMs: number): string
  /** An instant (ISO 8601) not before which something may be done, in whole seconds, never too early. */
  due(at: string): string
  /** `12:01:30.123`; with the date if it is another day than now. */
  precise(epochMs: number): string
}

/** @param now epoch milliseconds */
export function timesIn(timezone: string, now: number): Times {
  const format = formatOf(timezone)
  const today = dayOf(format, now)
  const write = (epochMs: number, fraction: string) => {
    if (!Number.isFinite(epochMs) || Math.abs(epochMs) > 8.64e15) return 'unknown'
    const text = format.format(epochMs)
    const day = text.slice(0, 10)
    return `${day === today ? '' : `${day} `}${text.slice(12)}${fraction}`
  }
  return {
    second: (epochMs) => write(epochMs, ''),
    due: (at) => write(nextWholeSecond(Date.parse(at)), ''),
    precise: (epochMs) => write(epochMs, `.${String(((epochMs % 1_000) + 1_000) % 1_000).padStart(3, '0')}`),
  }
}

function dayOf(format: Intl.DateTimeFormat, epochMs: number): string {
  return format.format(epochMs).slice(0, 10)
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Making one takes longer than writing a hundred instants. Canadian dates are `2026-03-14, 12:01:30`. */
function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone)
  if (known !== undefined) return known
  const part = '2-digit'
  const parts = { year: 'numeric', month: part, day: part, hour: part, minute: part, second: part } as const
  const format = new Intl.DateTimeFormat('en-CA', { ...parts, hourCycle: 'h23', timeZone: timezone })
  formats.set(timezone, format)
  return format
}

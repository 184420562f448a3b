import type { UsageRange } from '../../service/usage.ts'
import { nextWholeSecond } from '../../values/offset-date-time.ts'

/** The site's languages; the API is English only (spec 1). */
export type Language = 'en' | 'ro'

const units = ['B', 'KB', 'MB', 'GB'] as const

const countFormat = kept((language: Language) => new Intl.NumberFormat(language))
const sizeFormat = kept((language: Language) => new Intl.NumberFormat(language, { maximumFractionDigits: 1 }))
const pluralRules = kept((language: Language) => new Intl.PluralRules(language))

const dateFormat = dates({ dateStyle: 'long', timeStyle: 'short' })
const dayFormat = dates({ dateStyle: 'medium' })
const timeFormat = dates({ timeStyle: 'medium' })
const momentFormat = dates({ dateStyle: 'medium', timeStyle: 'medium' })

const hour = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const day = { day: 'numeric', month: 'short' } as const
const barFormats = { '24h': dates(hour), '7d': dates({ ...day, ...hour }), '30d': dates(day) }

/** A readable size, in units of 1,024. */
export function sizeText(bytes: number, language: Language): string {
  const power = bytes < 1_024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1)
  return `${sizeFormat(language).format(bytes / 1_024 ** power)}\u00a0${units[power]}`
}

export function countText(count: number, language: Language): string {
  return countFormat(language).format(count)
}

/** @param timeZone an IANA name */
export function dateText(epochMs: number, language: Language, timeZone: string): string {
  return dateFormat(language, timeZone).format(epochMs)
}

/** @param timeZone an IANA name */
export function dayText(epochMs: number, language: Language, timeZone: string): string {
  return dayFormat(language, timeZone).format(epochMs)
}

/** A number with the word that fits it, such as "1 file" or "2 files". */
export function countWithWord(language: Language, count: number, words: Words): string {
  const form = pluralRules(language).select(count)
  const word = form === 'one' || form === 'few' ? words[form] : undefined
  return `${countText(count, language)} ${word ?? words.other}`
}

/** Of the forms that the site's languages tell apart; Romanian has `few`, such as for 2 to 19. */
interface Words {
  readonly one: string
  readonly few?: string
  readonly other: string
}

/** When something is possible again, to the second; with the date if that is another day than now. */
export function momentText(epochMs: number, { now, language, timezone }: Reader): string {
  const at = nextWholeSecond(epochMs)
  const isToday = dayText(at, language, timezone) === dayText(now, language, timezone)
  return (isToday ? timeFormat : momentFormat)(language, timezone).format(at)
}

/** `now` in epoch milliseconds, and the IANA name of the time zone. */
type Reader = Readonly<{ now: number; language: Language; timezone: string }>

/** The start of a bar of the usage chart: an hour of the day, or a date, with the hour where a day has several bars. */
export function barText(epochMs: number, range: UsageRange, language: Language, timeZone: string): string {
  return barFormats[range](language, timeZone).format(epochMs)
}

/** One format for each language and time zone. */
function dates(options: Intl.DateTimeFormatOptions): (language: Language, timeZone: string) => Intl.DateTimeFormat {
  return kept((language: Language, timeZone: string) => new Intl.DateTimeFormat(language, { ...options, timeZone }))
}

/**
 * Makes each format once: a page writes hundreds of numbers, and a format takes longer to make than to use, and memory
 * that garbage collection does not see.
 */
function kept<Names extends readonly string[], Format>(make: (...names: Names) => Format): (...names: Names) => Format {
  const formats = new Map<string, Format>()
  return (...names) => {
    const name = names.join(' ')
    const format = formats.get(name) ?? make(...names)
    formats.set(name, format)
    return format
  }
}

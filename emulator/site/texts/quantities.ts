import type { UsageRange } from '../../service/usage/usage-bars.ts'
import type { Language } from './language.ts'

const units = ['B', 'KB', 'MB', 'GB'] as const

/** A readable size, in units of 1,024. */
export function sizeText(bytes: number, language: Language): string {
  const power = bytes < 1_024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1)
  const format = new Intl.NumberFormat(language, { maximumFractionDigits: 1 })
  return `${format.format(bytes / 1_024 ** power)}\u00a0${units[power]}`
}

export function countText(count: number, language: Language): string {
  return new Intl.NumberFormat(language).format(count)
}

/** @param timeZone an IANA name */
export function dateText(epochMs: number, language: Language, timeZone: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone }).format(epochMs)
}

/** @param timeZone an IANA name */
export function dayText(epochMs: number, language: Language, timeZone: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone }).format(epochMs)
}

/** A number with the word that fits it, such as "1 file" or "2 files". */
export function counted(language: Language, count: number, words: Words): string {
  const form = new Intl.PluralRules(language).select(count)
  const word = form === 'one' || form === 'few' ? words[form] : undefined
  return `${countText(count, language)} ${word ?? words.other}`
}

/** Of the forms that the site's languages tell apart; Romanian has `few`, such as for 2 to 19. */
interface Words {
  readonly one: string
  readonly few?: string
  readonly other: string
}

/** A time of the day, to the second. */
export function timeText(epochMs: number, language: Language, timeZone: string): string {
  return new Intl.DateTimeFormat(language, { timeStyle: 'medium', timeZone }).format(epochMs)
}

/** The start of a bar of the usage chart: an hour of the day, or a date, with the hour where a day has several bars. */
export function barText(epochMs: number, range: UsageRange, language: Language, timeZone: string): string {
  const formats = { '24h': hour, '7d': dayAndHour, '30d': day } satisfies Record<UsageRange, Intl.DateTimeFormatOptions>
  return new Intl.DateTimeFormat(language, { ...formats[range], timeZone }).format(epochMs)
}

const hour = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const day = { day: 'numeric', month: 'short' } as const
const dayAndHour = { ...day, ...hour }

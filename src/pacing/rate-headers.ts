import { rateHeaders } from '../protocol/rate-limits.ts'

/** An answer's X-RateLimit headers (spec 8.1); a missing or unreadable one is absent. */
export interface RateReport {
  /** Units per minute. */
  readonly limit?: number
  /** Units left. */
  readonly remaining?: number
  /** When the window ends, epoch milliseconds by the service's clock. */
  readonly resetAt?: number
  /** Units the request was charged. */
  readonly cost?: number
  /** The answer's Date in epoch milliseconds, whole seconds. */
  readonly serverNow?: number
  /** Whether Cost came without Limit, Remaining and Reset: as a success, the answer of an account without quotas. */
  readonly isCostAlone?: boolean
}

/** Numbers from here on are instants: as a duration in seconds this would be 31 years. */
const EPOCH_SECONDS_FROM = 1e9
const EPOCH_MS_FROM = 1e12
/** A reset cannot lie further ahead than the longest window. */
const LONGEST_DELTA_MS = 86_400_000

/** Whether a cache had kept the answer: one that was fetched or confirmed just now has the age 0 (RFC 9111, 5.1). */
export function isFromCache({ age }: Readonly<Record<string, string>>): boolean {
  return age !== undefined && age.trim() !== '0'
}

/**
 * @param headers names in lower case; those of an answer from a cache tell nothing
 * @param now epoch milliseconds; a reset given as a duration counts from the answer's Date, or from `now` without one
 */
export function parseRateReport(headers: Readonly<Record<string, string>>, now: number): RateReport {
  if (isFromCache(headers)) return {}
  const limit = wholeNumber(headers, 'limit')
  const remaining = wholeNumber(headers, 'remaining')
  const cost = wholeNumber(headers, 'cost')
  const date = Date.parse(headers['date'] ?? '')
  const serverNow = Number.isNaN(date) ? now : date
  const reset = wholeNumber(headers, 'reset')
  const resetAt = reset === undefined ? Number.POSITIVE_INFINITY : instantOf(reset, serverNow)
  return {
    ...(limit !== undefined && { limit }),
    ...(remaining !== undefined && { remaining }),
    ...(cost !== undefined && { cost }),
    ...(resetAt - serverNow <= LONGEST_DELTA_MS && { resetAt }),
    ...(!Number.isNaN(date) && { serverNow }),
    ...(isCostAlone(headers, cost) && { isCostAlone: true }),
  }
}

/** An unreadable header counts as one too, and what costs nothing may be exempt. */
function isCostAlone(headers: Readonly<Record<string, string>>, cost: number | undefined): boolean {
  const names = [rateHeaders.limit, rateHeaders.remaining, rateHeaders.reset]
  return cost !== undefined && cost > 0 && names.every((name) => headers[name.toLowerCase()] === undefined)
}

/**
 * A number of a header in epoch milliseconds by the service's clock. Spec 8.2 and 8.4 leave the unit open; the magnitude
 * shows whether it is an epoch or a duration in seconds.
 */
function instantOf(number: number, serverNow: number): number {
  if (number >= EPOCH_MS_FROM) return number
  return number >= EPOCH_SECONDS_FROM ? number * 1_000 : serverNow + number * 1_000
}

/** A header's whole number; undefined also for digits beyond the exact integers. */
function wholeNumber(headers: Readonly<Record<string, string>>, name: keyof typeof rateHeaders): number | undefined {
  const value = headers[rateHeaders[name].toLowerCase()]?.trim() ?? ''
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
  return Number.isSafeInteger(number) ? number : undefined
}

/** Larger numbers are cut off here: the year 33,658. */
const LARGEST_NUMBER = 1e15
const WEEKDAY = /^(mon|tue|wed|thu|fri|sat|sun)/i

/**
 * Reads a Retry-After in every form that services use: seconds, fractions, an HTTP-date, an epoch in seconds or
 * milliseconds (spec 8.4 leaves the form open). An instant counts from the answer's own Date, so a wrong local clock does no
 * harm; without Date it says nothing.
 *
 * @param date the same answer's Date header
 * @returns milliseconds, 0 or more and finite; undefined where the header is missing or unreadable
 */
export function parseRetryAfter(value: string | undefined, date: string | undefined): number | undefined {
  const text = value?.trim() ?? ''
  const there = Date.parse(date ?? '')
  const number = /^\d+(\.\d+)?$/.test(text) ? Math.min(Number(text), LARGEST_NUMBER) : Number.NaN
  // Date.parse reads "-5" as a month, and a date without a zone as local time.
  const instant = WEEKDAY.test(text) ? Date.parse(/gmt$/i.test(text) ? text : `${text} GMT`) : instantOf(number, there)
  const ms = number < EPOCH_SECONDS_FROM ? number * 1_000 : Math.max(0, instant - there)
  return Number.isNaN(ms) ? undefined : ms
}

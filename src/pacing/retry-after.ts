import { type WindowName, windowLengthMs } from '../protocol/rate-limits.ts'

/** Values at least this large are instants, not durations: as a duration this would be 31 years. */
const EPOCH_SECONDS_FROM = 1_000_000_000

/**
 * Reads a Retry-After in every form seen in the wild: seconds, fractions, an HTTP-date, an epoch (spec 8.4 leaves the
 * form open). Instants are compared with the answer's own Date header, so a wrong local clock does no harm.
 *
 * @param value the header as it came
 * @param date the same answer's Date header
 * @param now epoch milliseconds, used where there is no usable Date header
 * @returns milliseconds, 0 or more; undefined where the header is missing or says nothing
 */
export function parseRetryAfter(value: string | undefined, date: string | undefined, now: number): number | undefined {
  const text = value?.trim()
  if (!text) return undefined
  if (/^\d+(\.\d+)?$/.test(text)) {
    const seconds = Number(text)
    return seconds >= EPOCH_SECONDS_FROM ? Math.max(0, seconds * 1_000 - serverNow(date, now)) : seconds * 1_000
  }
  // A date must look like one: Date.parse takes "-5" for a month, and a date without a zone for local time.
  const isDate = /^(mon|tue|wed|thu|fri|sat|sun)/i.test(text)
  const instant = isDate ? Date.parse(/gmt$/i.test(text) ? text : `${text} GMT`) : Number.NaN
  return Number.isNaN(instant) ? undefined : Math.max(0, instant - serverNow(date, now))
}

function serverNow(date: string | undefined, now: number): number {
  const parsed = date === undefined ? Number.NaN : Date.parse(date)
  return Number.isNaN(parsed) ? now : parsed
}

/** Whole-second timers on the other side may run up to a second late; waiting this much longer costs nothing. */
const PAD_MS = 250
const SHORTEST_WAIT_MS = 1_000

/** The first wait where a refusal names none; it doubles with every further refusal, up to the window's length. */
const firstGuessMs: Readonly<Record<WindowName, number>> = {
  burst: 5_000,
  minute: 10_000,
  hour: 300_000,
  day: 900_000,
}

/**
 * How long to hold back after a 429.
 *
 * @param askedMs the parsed Retry-After, if any
 * @param window the window that refused, where it is known
 * @param refusals how many refusals in a row this is, from 1; what was asked for and did not help is doubled from a second on
 * @returns milliseconds, at least 1,250 and at most the window's length and a quarter second
 */
export function refusalWaitMs(askedMs: number | undefined, window: WindowName | undefined, refusals: number): number {
  const doublings = 2 ** Math.min(refusals - 1, 20)
  const wait = Math.max(askedMs ?? firstGuessMs[window ?? 'minute'] * doublings, SHORTEST_WAIT_MS * doublings)
  // A refusal that names no window may come from any of them, or from a limiter of another kind.
  const longest = window ?? (askedMs === undefined ? 'minute' : 'day')
  return Math.min(wait, windowLengthMs[longest]) + PAD_MS
}

/** A disabled service may name any time; asking again after an hour costs nothing, for a 503 is not charged. */
const LONGEST_UNAVAILABLE_WAIT_MS = 3_600_000
const LONGEST_BACKOFF_MS = 30_000

/**
 * How long to hold back after a 503.
 *
 * @param askedMs the parsed Retry-After, if any
 * @param refusals how many in a row this is, from 1
 * @returns milliseconds, at least 1,250 and at most an hour and a quarter second
 */
export function unavailableWaitMs(askedMs: number | undefined, refusals: number): number {
  const backoffMs = Math.min(SHORTEST_WAIT_MS * 2 ** Math.min(refusals - 1, 20), LONGEST_BACKOFF_MS)
  return Math.min(Math.max(askedMs ?? 0, backoffMs), LONGEST_UNAVAILABLE_WAIT_MS) + PAD_MS
}

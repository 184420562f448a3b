import { type WindowName, windowLengthMs } from '../protocol/rate-limits.ts'

/** Values from here on are instants: as a duration this would be 31 years. */
const EPOCH_SECONDS_FROM = 1e9
const EPOCH_MS_FROM = 1e12
/** Larger numbers are cut off here: the year 33,658. */
const LARGEST_NUMBER = 1e15

/**
 * Reads a Retry-After in every form that services use: seconds, fractions, an HTTP-date, an epoch in seconds or
 * milliseconds (spec 8.4 leaves the form open). The longest of several values counts, since a proxy may add its own.
 * Instants are compared with the answer's own Date, so a wrong local clock does no harm.
 *
 * @param value the header; a repeated one joined by commas
 * @param date the same answer's Date header
 * @param now epoch milliseconds, for an answer without a usable Date
 * @returns milliseconds, 0 or more and finite; undefined where the header is missing or unreadable
 */
export function parseRetryAfter(value: string | undefined, date: string | undefined, now: number): number | undefined {
  const nowThere = serverNow(date, now)
  let longest: number | undefined
  for (const text of valuesOf(value ?? '')) {
    const wait = parseOne(text, nowThere)
    if (wait !== undefined) longest = Math.max(longest ?? 0, wait)
  }
  return longest
}

const WEEKDAY = /^(mon|tue|wed|thu|fri|sat|sun)/i

/** Splits at commas, except the one after an HTTP-date's weekday. */
function valuesOf(value: string): readonly string[] {
  const values: string[] = []
  let weekday = ''
  for (const part of value.split(',')) {
    const text = `${weekday}${part.trim()}`
    const isWeekday = weekday === '' && text.length < 10 && WEEKDAY.test(text)
    weekday = isWeekday ? `${text}, ` : ''
    if (!isWeekday) values.push(text)
  }
  return values
}

function parseOne(text: string, nowThere: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) {
    const number = Math.min(Number(text), LARGEST_NUMBER)
    if (number < EPOCH_SECONDS_FROM) return number * 1_000
    return Math.max(0, (number < EPOCH_MS_FROM ? number * 1_000 : number) - nowThere)
  }
  // Date.parse reads "-5" as a month, and a date without a zone as local time.
  const instant = WEEKDAY.test(text) ? Date.parse(/gmt$/i.test(text) ? text : `${text} GMT`) : Number.NaN
  return Number.isNaN(instant) ? undefined : Math.max(0, instant - nowThere)
}

function serverNow(date: string | undefined, now: number): number {
  const parsed = date === undefined ? Number.NaN : Date.parse(date)
  return Number.isNaN(parsed) ? now : parsed
}

/** Added to each wait, because the service's timers may run late. */
const PAD_MS = 250
const SHORTEST_WAIT_MS = 1_000

/** The first wait after a refusal without Retry-After; doubles with each further refusal, up to the window's length. */
const firstGuessMs: Readonly<Record<WindowName, number>> = {
  burst: 5_000,
  minute: 10_000,
  hour: 300_000,
  day: 900_000,
}

/** A longer Retry-After is a mistake of the service and is replaced by a guess. */
const LONGEST_HONOURED_MS = 86_400_000

/** How long to wait after a refusal. */
export interface RefusalWait {
  readonly ms: number
  /** Whether the service did not say so itself. */
  readonly isGuess: boolean
}

/**
 * How long to wait after a 429: its Retry-After up to a day, the window's length for a longer one, and a guess that
 * doubles with each refusal in a row if there is none.
 *
 * @param askedMs the parsed Retry-After, if any
 * @param window the window that refused; the minute if unknown
 * @param refusals the number of refusals in a row, from 1; each one doubles the shortest wait of 1 s
 */
export function refusalWait(
  askedMs: number | undefined,
  window: WindowName = 'minute',
  refusals: number = 1,
): RefusalWait {
  const longestMs = windowLengthMs[window]
  const doublings = 2 ** Math.min(refusals - 1, 20)
  const isGuess = askedMs === undefined || askedMs > LONGEST_HONOURED_MS
  const least = Math.min(SHORTEST_WAIT_MS * doublings, longestMs)
  if (!isGuess) return { ms: Math.max(askedMs, least) + PAD_MS, isGuess }
  const guess = askedMs === undefined ? Math.min(firstGuessMs[window] * doublings, longestMs) : longestMs
  return { ms: guess + PAD_MS, isGuess }
}

/** The wait after a 503 whose Retry-After is longer than a day. */
const UNAVAILABLE_GUESS_MS = 3_600_000
const LONGEST_BACKOFF_MS = 30_000

/**
 * How long to wait after a 503: its Retry-After up to a day, an hour for a longer one.
 *
 * @param askedMs the parsed Retry-After, if any
 * @param refusals the number of refusals in a row, from 1
 * @returns milliseconds, at least 1,250
 */
export function unavailableWaitMs(askedMs: number | undefined, refusals: number): number {
  const backoffMs = Math.min(SHORTEST_WAIT_MS * 2 ** Math.min(refusals - 1, 20), LONGEST_BACKOFF_MS)
  const isHonoured = askedMs === undefined || askedMs <= LONGEST_HONOURED_MS
  return (isHonoured ? Math.max(askedMs ?? 0, backoffMs) : UNAVAILABLE_GUESS_MS) + PAD_MS
}

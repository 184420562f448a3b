import { type WindowName, windowLengthMs } from '../protocol/rate-limits.ts'

/** Values at least this large are instants, not durations: as a duration this would be 31 years. */
const EPOCH_SECONDS_FROM = 1e9
const EPOCH_MS_FROM = 1e12
/** An instant past the year 33,000, and a duration no service means: larger numbers say no more. */
const LARGEST_NUMBER = 1e15

/**
 * Reads a Retry-After in every form seen in the wild: seconds, fractions, an HTTP-date, an epoch in seconds or
 * milliseconds (spec 8.4 leaves the form open). Of several, as a proxy may add one, the longest counts. Instants are
 * compared with the answer's own Date header, so a wrong local clock does no harm.
 *
 * @param value the header as it came, a repeated one joined by commas
 * @param date the same answer's Date header
 * @param now epoch milliseconds, used where there is no usable Date header
 * @returns milliseconds, 0 or more and finite; undefined where the header is missing or says nothing
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

/** An HTTP-date has a comma of its own, behind its weekday. */
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
  // A date must look like one: Date.parse takes "-5" for a month, and a date without a zone for local time.
  const instant = WEEKDAY.test(text) ? Date.parse(/gmt$/i.test(text) ? text : `${text} GMT`) : Number.NaN
  return Number.isNaN(instant) ? undefined : Math.max(0, instant - nowThere)
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

/** What a service asks for beyond this is a mistake, and no more than a sign that it wants to be left alone. */
const LONGEST_HONOURED_MS = 86_400_000

/** How long to hold back, and whether the service said so. */
export interface RefusalWait {
  readonly ms: number
  readonly isGuess: boolean
}

/**
 * How long to hold back after a 429: as long as it asks, up to a day. Beyond that it is the length of the window, and
 * where it asks for nothing a guess that doubles with every refusal in a row.
 *
 * @param askedMs the parsed Retry-After, if any
 * @param window the window that refused; the minute is assumed where it is not known
 * @param refusals how many refusals in a row this is, from 1; what was asked for and did not help is doubled from a second on
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

/** What is guessed of a service that is switched off for longer than it can mean. */
const UNAVAILABLE_GUESS_MS = 3_600_000
const LONGEST_BACKOFF_MS = 30_000

/**
 * How long to hold back after a 503: as long as it asks, up to a day, and an hour beyond that.
 *
 * @param askedMs the parsed Retry-After, if any
 * @param refusals how many in a row this is, from 1
 * @returns milliseconds, at least 1,250
 */
export function unavailableWaitMs(askedMs: number | undefined, refusals: number): number {
  const backoffMs = Math.min(SHORTEST_WAIT_MS * 2 ** Math.min(refusals - 1, 20), LONGEST_BACKOFF_MS)
  const isHonoured = askedMs === undefined || askedMs <= LONGEST_HONOURED_MS
  return (isHonoured ? Math.max(askedMs ?? 0, backoffMs) : UNAVAILABLE_GUESS_MS) + PAD_MS
}

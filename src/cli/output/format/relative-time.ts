const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Older times are better shown as a date. */
const LONGEST_AGE_MS = 30 * DAY_MS

/**
 * `just now`, `5 min ago`, `3 h ago`, `12 d ago`; undefined for a time more than 30 days ago, or more than a minute in
 * the future.
 *
 * @param at epoch milliseconds
 */
export function relativeTime(at: number, now: number): string | undefined {
  const age = now - at
  if (Number.isNaN(age) || age < -MINUTE_MS || age >= LONGEST_AGE_MS) return undefined
  if (age < MINUTE_MS) return 'just now'
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min ago`
  return age < DAY_MS ? `${Math.floor(age / HOUR_MS)} h ago` : `${Math.floor(age / DAY_MS)} d ago`
}

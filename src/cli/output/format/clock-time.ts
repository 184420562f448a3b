import { twoDigits } from './format.ts'

const DAY_MS = 86_400_000

/**
 * A time in the local time zone: `16:10` today, `Tue 09:12` within six days, `2026-11-21 09:12` otherwise.
 *
 * @param now epoch milliseconds, as is the instant
 * @param seconds whether to add the seconds
 */
export function formatClockTime(instant: number, now: number, { seconds = false } = {}): string {
  const date = new Date(instant)
  const parts = seconds ? [date.getHours(), date.getMinutes(), date.getSeconds()] : [date.getHours(), date.getMinutes()]
  const time = parts.map(twoDigits).join(':')
  if (date.toDateString() === new Date(now).toDateString()) return time
  if (Math.abs(instant - now) < 6 * DAY_MS) return `${date.toLocaleDateString('en', { weekday: 'short' })} ${time}`
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())} ${time}`
}

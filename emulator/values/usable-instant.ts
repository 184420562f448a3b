/** A day from either end, so that local time has a year of four digits in every time zone. */
const first = Date.parse('0001-01-02T00:00:00Z')
const last = Date.parse('9998-12-30T00:00:00Z')

/** What is accepted, to be read after "takes" or "is no". */
export const usableInstants = 'an instant of the years 1 to 9998, such as "2026-01-15T12:00:00Z"'

/** Whether an instant in epoch milliseconds can be written by everything that will write it, here and in a client. */
export function isUsableInstant(epochMs: unknown): epochMs is number {
  return typeof epochMs === 'number' && epochMs >= first && epochMs <= last
}

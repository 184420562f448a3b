import { quoted } from './quoted.ts'

/** A day inside the range of four-digit years, so that local times have four-digit years in every time zone. */
const first = Date.parse('0001-01-02T00:00:00Z')
const last = Date.parse('9998-12-30T00:00:00Z')

/** Describes the accepted instants; read after "takes" or "is not". */
export const usableInstants = 'an instant of the years 1 to 9998, such as "2026-01-15T12:00:00Z"'

/** Whether the emulator and its clients can write an instant, in epoch milliseconds, with a four-digit year. */
export function isUsableInstant(epochMs: unknown): epochMs is number {
  return typeof epochMs === 'number' && epochMs >= first && epochMs <= last
}

/** Whether a value is text that {@link parseInstant} understands. */
export function isInstant(value: unknown): value is string {
  return typeof value === 'string' && isUsableInstant(Date.parse(value))
}

/**
 * @returns epoch milliseconds
 * @throws TypeError if the text is not an instant
 */
export function parseInstant(text: string): number {
  if (isInstant(text)) return Date.parse(text)
  throw new TypeError(`${quoted(text)} is not ${usableInstants}`)
}

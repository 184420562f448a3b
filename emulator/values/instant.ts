/** A day inside the range of four-digit years, so that local times have four-digit years in every time zone. */
const first = Date.parse('0001-01-02T00:00:00Z')
const last = Date.parse('9998-12-30T00:00:00Z')

/** Describes the accepted instants; read after "takes". */
export const usableInstants = 'an instant of the years 1 to 9998, such as "2026-01-15T12:00:00Z"'

/** Whether the emulator and its clients can write an instant, in epoch milliseconds, with a four-digit year. */
export function isUsableInstant(epochMs: unknown): epochMs is number {
  return typeof epochMs === 'number' && epochMs >= first && epochMs <= last
}

import { quoted } from './quoted.ts'
import { isUsableInstant, usableInstants } from './usable-instant.ts'

/** Whether text names an instant that {@link parseInstant} understands. */
export function isInstant(value: unknown): value is string {
  return typeof value === 'string' && isUsableInstant(Date.parse(value))
}

/**
 * @returns epoch milliseconds
 * @throws TypeError where it is no instant
 */
export function parseInstant(text: string): number {
  if (isInstant(text)) return Date.parse(text)
  throw new TypeError(`${quoted(text)} is not ${usableInstants}`)
}

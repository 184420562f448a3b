import { InvalidArgumentError } from 'commander'
import { leastBytesPerSecond, readByteSize } from '../../protocol/quantities.ts'

/**
 * Reads a whole number.
 * @param rule the message for anything else
 * @returns a parser that throws InvalidArgumentError
 */
export function wholeNumberFlag(least: number, most: number, rule: string): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d+$/.test(text) && number >= least && number <= most) return number
    throw new InvalidArgumentError(rule)
  }
}

/** Reads `--jobs N`: how many files are in transfer at a time. */
export const parseJobs = wholeNumberFlag(1, 64, 'Give a number from 1 to 64.')

/**
 * Reads `--bwlimit RATE`: `500k`, `2MB`, `1.5MiB/s`, in units of 1,024; a bare number is bytes. All are per second.
 * @throws InvalidArgumentError
 */
export function parseBandwidth(text: string): number {
  const bytesPerSecond = readByteSize(text.trim().replace(/\/s$/, ''))
  if (bytesPerSecond !== undefined && bytesPerSecond >= leastBytesPerSecond) return bytesPerSecond
  throw new InvalidArgumentError(`Give bytes per second from ${leastBytesPerSecond} up, such as 500KB or 1.5MB.`)
}

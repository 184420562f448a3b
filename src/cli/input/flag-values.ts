import { InvalidArgumentError } from 'commander'
import { leastBytesPerSecond, readByteSize } from '../../protocol/quantities.ts'
import { usageError } from '../failures/cli-error.ts'
import type { Glob } from './glob.ts'

/**
 * Reads the glob of a flag.
 * @param text as the user gave it
 * @param read throws a TypeError that says what is wrong
 * @throws CliError of code `usage`
 */
export function readGlobFlag(flag: string, text: string, read: () => Glob): Glob {
  try {
    return read()
  } catch (error) {
    if (error instanceof TypeError) throw usageError(`${flag} ${quotedValue(text)}: ${error.message}`)
    throw error
  }
}

/** Whether a text contains characters of a glob. */
export function isPattern(text: string): boolean {
  return /[*?[\]{}]/.test(text)
}

/** A message needs no more of a value than its beginning. */
const LONGEST = 60

/** The value of a flag in a message: as JSON, and cut where it is long. */
export function quotedValue(value: string): string {
  return JSON.stringify(value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value)
}

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
  const rate = text.trim()
  const bytesPerSecond = readByteSize(rate.endsWith('/s') ? rate.slice(0, -'/s'.length) : rate)
  if (bytesPerSecond !== undefined && bytesPerSecond >= leastBytesPerSecond) return bytesPerSecond
  throw new InvalidArgumentError(`Give bytes per second from ${leastBytesPerSecond} up, such as 500KB or 1.5MB.`)
}

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

/** A message needs no more of a value than its beginning. */
const LONGEST = 60

/** The value of a flag in a message: as JSON, and cut where it is long. */
export function quotedValue(value: string): string {
  return JSON.stringify(value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value)
}

import { usageError } from '../failures/cli-error.ts'
import type { Glob } from './glob.ts'
import { quotedValue } from './quoted-value.ts'

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

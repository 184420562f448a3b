import type { Option } from 'commander'
import { usageError } from '../failures/cli-error.ts'
import type { Glob } from './glob.ts'

/** Lists values that begin like the word typed so far; called at a completion only. */
export type ListValues = (typed: string) => readonly string[] | Promise<readonly string[]>

const lists = new WeakMap<Option, ListValues>()

/** Gives a flag values to complete, where others are accepted too. A flag with fixed choices needs none. */
export function completedBy(option: Option, list: ListValues): Option {
  lists.set(option, list)
  return option
}

export function valueListOf(option: Option): ListValues | undefined {
  return lists.get(option)
}

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

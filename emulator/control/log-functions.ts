import { readLoggedHeaders } from '../service/logged-headers.ts'
import { wildcardTest } from '../service/request-filter.ts'
import type { RequestLog } from '../storage/request-log.ts'
import { remembered } from '../values/remembered.ts'

/**
 * Gives SQL what conditions on the log need besides its own: SQLite's patterns could take forever, and it knows only the case
 * of English letters.
 */
export function defineLogFunctions(log: RequestLog): void {
  const testOf = remembered(wildcardTest)
  const headersOf = remembered(readLoggedHeaders)
  log.define('matches', (text: string | null, pattern: string) => Number(text !== null && testOf(pattern)(text)))
  log.define('header', (headers: string, name: string) => headersOf(headers).get(name) ?? null)
  log.define('holds', (text: string, words: string) => Number(text.toLowerCase().includes(words)))
  log.define('likeness', likeness)
}

/** How many letters at their beginnings two texts have in common. */
function likeness(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}

import { readLoggedHeaders } from '../service/exchanges.ts'
import { wildcardTest } from '../service/request-filter.ts'
import type { RequestLog } from '../storage/request-log.ts'

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

/** So few, and so short, that what strangers send fills no memory. */
const [mostRemembered, mostLetters] = [256, 16_384]

/** A function of one text that remembers its answers: most requests ask what an earlier one has asked. */
function remembered<Answer>(answerTo: (text: string) => Answer): (text: string) => Answer {
  const answers = new Map<string, Answer>()
  return (text) => {
    const known = answers.get(text)
    if (known !== undefined) return known
    if (answers.size >= mostRemembered) answers.clear()
    const answer = answerTo(text)
    if (text.length <= mostLetters) answers.set(text, answer)
    return answer
  }
}

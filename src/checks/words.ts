/** The most characters of a value that a message repeats. */
const longestQuote = 100

/** Quotes an untrusted value in a message: as JSON, shortened, or by its kind if JSON does not show it. */
export function quoted(value: unknown): string {
  if (typeof value === 'string' || isPlain(value)) {
    const text = asJson(value)
    return text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text
  }
  return kindOf(value)
}

/** What a value is, without its content, which may be secret. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'function') return value.name === '' ? 'a function' : `the function ${shortened(value.name)}`
  if (typeof value === 'string') return value === '' ? 'an empty text' : 'a text'
  if (typeof value !== 'object') return `a ${typeof value}`
  const name = nameOf(value)
  return name === 'Object' ? 'an object' : `${/^[AEIOU]/i.test(name) ? 'an' : 'a'} ${shortened(name)}`
}

/** Whether JSON shows the value: `{}` would stand for a Map or an AbortController. */
export function isPlain(value: unknown): boolean {
  if (typeof value === 'function' || typeof value === 'symbol' || value === undefined) return false
  return typeof value !== 'object' || value === null || Array.isArray(value) || nameOf(value) === 'Object'
}

function nameOf(value: object): string {
  const maker: unknown = Object.getPrototypeOf(value)?.constructor
  return typeof maker === 'function' && maker.name !== '' ? maker.name : 'Object'
}

function shortened(name: string): string {
  return name.slice(0, longestQuote)
}

function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    if (typeof value === 'bigint') return `${value}n`
    return Array.isArray(value) ? 'a list that is not JSON' : 'an object that is not JSON'
  }
}

/**
 * Finds the word that a misspelt one probably means: the one with the fewest letters to add, drop, change or swap with
 * the next; else the only one that begins with it.
 * @returns undefined if every word is too different
 */
export function nearestWord(word: string, words: readonly string[]): string | undefined {
  let nearest: string | undefined
  let fewest = Math.max(Math.floor(word.length / 3), 1) + 1
  for (const candidate of words) {
    // The difference in length is a lower bound of the edits, so a very long text is never compared.
    if (Math.abs(candidate.length - word.length) >= fewest) continue
    const edits = editsBetween(word.toLowerCase(), candidate.toLowerCase())
    // A word that shares no letter in its place with another is not that word misspelt.
    if (edits < fewest && edits < candidate.length) {
      nearest = candidate
      fewest = edits
    }
  }
  const begun = word.length < 2 ? [] : words.filter((candidate) => candidate.startsWith(word.toLowerCase()))
  return nearest ?? (begun.length === 1 ? begun[0] : undefined)
}

function editsBetween(one: string, other: string): number {
  const letters = [...one]
  const others = [...other]
  let before: readonly number[] = []
  let row: readonly number[] = Array.from({ length: others.length + 1 }, (_, index) => index)
  for (const [index, letter] of letters.entries()) {
    const next = [index + 1]
    for (const [at, otherLetter] of others.entries()) {
      const changed = (row[at] ?? 0) + (letter === otherLetter ? 0 : 1)
      const isSwapped = letter === others[at - 1] && letters[index - 1] === otherLetter
      const swapped = isSwapped ? (before[at - 1] ?? 0) + 1 : changed
      next.push(Math.min(changed, swapped, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row.at(-1) ?? 0
}

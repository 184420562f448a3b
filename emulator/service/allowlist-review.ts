import { type EntryProblem, parseAllowlistEntry } from '../values/ip-allowlist.ts'

/** The most entries of an allowlist that the site takes. */
export const mostAllowlistEntries = 1_000

/** An entry that cannot be used. */
export interface WrongEntry {
  /** Of the given text, from 1. */
  readonly line: number
  readonly entry: string
  readonly kind: EntryProblem
}

/** What an account's owner wrote into the allowlist, judged (spec 5.5). */
export interface AllowlistReview {
  /** As written, each once; the control API accepts the same. Empty: every address is allowed. */
  readonly entries: readonly string[]
  readonly wrong: readonly WrongEntry[]
  /** Whether there are more than {@link mostAllowlistEntries}. */
  readonly isTooLong: boolean
}

/** Reads an allowlist of one entry a line. */
export function reviewAllowlist(text: string): AllowlistReview {
  const judged = linesOf(text).map((each) => ({ ...each, range: parseAllowlistEntry(each.entry) }))
  return {
    entries: judged.filter(({ range }) => typeof range !== 'string').map(({ entry }) => entry),
    wrong: judged.flatMap(({ range, ...each }) => (typeof range === 'string' ? { ...each, kind: range } : [])),
    isTooLong: judged.length > mostAllowlistEntries,
  }
}

/** Lines that are not blank, without blanks around them, each text once. */
function linesOf(text: string): readonly { readonly line: number; readonly entry: string }[] {
  const seen = new Set([''])
  return text.split(/\r\n?|\n/).flatMap((line, index) => {
    const entry = line.trim()
    if (seen.has(entry)) return []
    seen.add(entry)
    return { line: index + 1, entry }
  })
}

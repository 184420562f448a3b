import { parseAllowlistEntry } from '../values/ip-allowlist.ts'

/** The most entries of an allowlist that the site takes. */
export const mostAllowlistEntries = 1_000

/** An entry, and its line in the given text, counted from 1. */
export interface PlacedEntry {
  readonly line: number
  readonly entry: string
}

/** What an account's owner wrote into the allowlist, judged (spec 5.5). */
export interface AllowlistReview {
  /** As written, each once; the control API accepts the same. Empty: every address is allowed. */
  readonly entries: readonly string[]
  /** Those that cannot be used. */
  readonly wrong: readonly PlacedEntry[]
  /** Whether there are more than {@link mostAllowlistEntries}. */
  readonly isTooLong: boolean
}

/** Reads an allowlist of one entry a line. */
export function reviewAllowlist(text: string): AllowlistReview {
  const lines = linesOf(text)
  const isUsable = ({ entry }: PlacedEntry) => parseAllowlistEntry(entry) !== undefined
  return {
    entries: lines.filter(isUsable).map(({ entry }) => entry),
    wrong: lines.filter((line) => !isUsable(line)),
    isTooLong: lines.length > mostAllowlistEntries,
  }
}

/** Lines that are not blank, without blanks around them, each text once. */
function linesOf(text: string): readonly PlacedEntry[] {
  const seen = new Set([''])
  return text.split(/\r\n?|\n/).flatMap((line, index) => {
    const entry = line.trim()
    if (seen.has(entry)) return []
    seen.add(entry)
    return { line: index + 1, entry }
  })
}

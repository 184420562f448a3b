/**
 * Finds the word that a misspelt one probably means: the one with the fewest letters to add, drop or change.
 * @returns undefined if every word is too different
 */
export function nearestWord(word: string, words: readonly string[]): string | undefined {
  let nearest: string | undefined
  let fewest = Math.max(Math.floor(word.length / 3), 1) + 1
  for (const candidate of words) {
    // The difference in length is a lower bound of the edits, so a very long text is never compared.
    if (Math.abs(candidate.length - word.length) >= fewest) continue
    const edits = editsBetween(word.toLowerCase(), candidate.toLowerCase())
    if (edits < fewest) {
      nearest = candidate
      fewest = edits
    }
  }
  return nearest
}

function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1]
    for (const [at, otherLetter] of [...other].entries()) {
      const changed = (row[at] ?? 0) + (letter === otherLetter ? 0 : 1)
      next.push(Math.min(changed, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

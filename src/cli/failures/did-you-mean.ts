import { nearestWord } from '../../internal.ts'

/** A hint that names the word that a misspelt one probably means; `otherwise` where none is near. */
export function didYouMean(word: string, words: readonly string[], otherwise: string): string {
  const near = nearestWord(word, words)
  return near === undefined ? otherwise : `Did you mean ${near}?`
}

import { type Result, refused, succeeded } from './refusal.ts'

/** What is wrong with a name or a title. */
export type TextProblem = { readonly kind: 'missing' | 'too-long' | 'control-character' }

/** Line breaks and what moves a terminal's cursor; a name has one line. */
const control = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** A text with nothing but these shows nothing. */
const invisible = /^[\p{Cf}\p{Z}]*$/u

/** @returns the text without blanks around it, of at most so many characters */
export function reviewText(text: string, maxLength: number): Result<string, TextProblem> {
  const trimmed = text.trim()
  if (invisible.test(trimmed)) return refused({ kind: 'missing' })
  if (control.test(trimmed)) return refused({ kind: 'control-character' })
  return isLonger(trimmed, maxLength) ? refused({ kind: 'too-long' }) : succeeded(trimmed)
}

/** Counts characters, of which some take two units of a JavaScript text. */
function isLonger(text: string, maxLength: number): boolean {
  if (text.length <= maxLength) return false
  return text.length > 2 * maxLength || Array.from(text).length > maxLength
}

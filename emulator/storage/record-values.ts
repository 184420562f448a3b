import { matching, wholeNumber } from '../values/value-type.ts'

/** Counts up from 1 and is never reused. */
export const recordId = wholeNumber({ from: 1 })

/** In hexadecimal; lower case only, because digests are compared as text. */
export const digest = matching('a SHA-256 of 64 hexadecimal digits in lower case', /^[0-9a-f]{64}$/)

import { randomBytes, randomUUID } from 'node:crypto'
import type { Settings } from '../settings/settings.ts'

export const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Random text for keys, passwords and slugs; the alphabet has at most 256 letters. */
export function randomText(length: number, alphabet: string = lettersAndDigits): string {
  // Higher bytes would favour the first letters of the alphabet.
  const firstUnfairByte = 256 - (256 % alphabet.length)
  const codes: number[] = []
  while (codes.length < length) {
    const byte = randomByte()
    if (byte < firstUnfairByte) codes.push(alphabet.charCodeAt(byte % alphabet.length))
  }
  return String.fromCharCode(...codes)
}

/** Drawn in blocks: a call costs more than its bytes. */
let pool: Uint8Array = new Uint8Array(0)
let used = 0

function randomByte(): number {
  if (used >= pool.length) {
    pool = randomBytes(4_096)
    used = 0
  }
  used += 1
  return pool[used - 1] ?? 0
}

/** A random slug. */
export function newSlug(style: Settings['slug_style']): string {
  switch (style) {
    case 'alnum10':
      return randomText(10)
    case 'nanoid21':
      return randomText(21, `${lettersAndDigits}_-`)
    case 'uuid':
      return randomUUID()
  }
}

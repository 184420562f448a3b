import { randomBytes } from 'node:crypto'

export const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Unguessable text of at most 256 different letters, of which keys, passwords and slugs are made. */
export function randomText(length: number, alphabet: string = lettersAndDigits): string {
  // Bytes from here on would make the first letters of the alphabet more likely than the others.
  const firstUnfairByte = 256 - (256 % alphabet.length)
  const codes: number[] = []
  while (codes.length < length) {
    const byte = randomByte()
    if (byte < firstUnfairByte) codes.push(alphabet.charCodeAt(byte % alphabet.length))
  }
  return String.fromCharCode(...codes)
}

/** Drawn many at a time: asking costs more than the bytes do. */
let drawn: Uint8Array = new Uint8Array(0)
let used = 0

function randomByte(): number {
  if (used >= drawn.length) {
    drawn = randomBytes(4_096)
    used = 0
  }
  used += 1
  return drawn[used - 1] ?? 0
}

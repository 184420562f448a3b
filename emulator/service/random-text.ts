import { randomBytes } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Bytes from here on would make the first letters of the alphabet more likely than the others. */
const firstUnfairByte = 256 - (256 % alphabet.length)

/** Unguessable letters and digits, of which keys, passwords and slugs are made. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < firstUnfairByte) text += alphabet[byte % alphabet.length]
    }
  }
  return text
}

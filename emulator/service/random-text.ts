import { createCipheriv, hash, randomBytes } from 'node:crypto'

export const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** A source of random bytes. */
export type NextByte = () => number

/** Random text; the alphabet has at most 256 letters. */
export function randomText(length: number, nextByte: NextByte, alphabet: string = lettersAndDigits): string {
  // Higher bytes would favour the first letters of the alphabet.
  const firstUnfairByte = 256 - (256 % alphabet.length)
  const codes: number[] = []
  while (codes.length < length) {
    const byte = nextByte()
    if (byte < firstUnfairByte) codes.push(alphabet.charCodeAt(byte % alphabet.length))
  }
  return String.fromCharCode(...codes)
}

/** A random UUID of version 4 (RFC 9562). */
export function randomUuid(nextByte: NextByte): string {
  const bytes = Buffer.from(Array.from({ length: 16 }, nextByte))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Drawn in blocks: a call costs more than its bytes. */
const blockBytes = 4_096

function drawing(nextBlock: () => Uint8Array): NextByte {
  let block: Uint8Array = new Uint8Array(0)
  let used = 0
  return () => {
    if (used >= block.length) {
      block = nextBlock()
      used = 0
    }
    used += 1
    return block[used - 1] ?? 0
  }
}

/** Bytes that cannot be foretold. */
export const secureBytes: NextByte = drawing(() => randomBytes(blockBytes))

/** The same bytes for the same seed, different ones for any other: the key stream of AES in counter mode. */
export function seededBytes(seed: string): NextByte {
  const cipher = createCipheriv('aes-256-ctr', hash('sha256', seed, 'buffer'), Buffer.alloc(16))
  const zeros = Buffer.alloc(blockBytes)
  return drawing(() => cipher.update(zeros))
}

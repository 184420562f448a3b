import { createCipheriv, hash, randomBytes } from 'node:crypto'
import type { Settings } from '../settings/settings.ts'
import type { RecordStore } from '../storage/records.ts'

/** Fixes everything that the emulator makes up. */
export type RandomSeed = number | string

/**
 * Each kind of thing has bytes of its own, so that another account changes no slug.
 * @param seed default: nothing can be foretold
 * @param purpose others with the same seed make up other things
 */
export function createInventions(seed?: RandomSeed, purpose = 'service') {
  let sources = new Map<string, NextByte>()
  const bytesFor = (kind: string): NextByte => {
    if (seed === undefined) return secureBytes
    const source = sources.get(kind) ?? seededBytes(`${purpose} ${kind} ${seed}`)
    sources.set(kind, source)
    return source
  }
  return {
    apiKey: () => randomText(40, bytesFor('key')),
    email: () => `${randomText(8, bytesFor('email')).toLowerCase()}@example.com`,
    password: () => randomText(16, bytesFor('password')),
    /** Of the tokens in forms for visitors without a session. */
    formSecret: () => randomText(40, bytesFor('form secret')),
    slug(style: Settings['slug_style']) {
      const bytes = bytesFor('slug')
      switch (style) {
        case 'alnum10':
          return randomText(10, bytes)
        case 'nanoid21':
          return randomText(21, bytes, `${lettersAndDigits}_-`)
        case 'uuid':
          return randomUuid(bytes)
      }
    },
    /** Begins again with the first of each, if there is a seed. */
    restart() {
      sources = new Map()
    },
  }
}

/** Everything that the emulator makes up. */
export type Inventions = ReturnType<typeof createInventions>

/**
 * The seed of this run. Each run of a data folder has another, because it must not make up again what an earlier run did;
 * the first has that of an emulator without a folder.
 */
export function seedOfRun(seed: RandomSeed | undefined, notes: RecordStore['notes']): string | undefined {
  if (seed === undefined) return undefined
  const { runs = 0 }: { readonly runs?: number } = Object(notes.get('random_seed'))
  notes.set('random_seed', { runs: runs + 1 })
  return runs === 0 ? `${seed}` : `${seed} ${runs}`
}

const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** A source of random bytes. */
type NextByte = () => number

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
function randomUuid(nextByte: NextByte): string {
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

import type { Settings } from '../settings/settings.ts'
import { lettersAndDigits, type NextByte, randomText, randomUuid, secureBytes, seededBytes } from './random-text.ts'

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

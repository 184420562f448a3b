import type { OpenFleetLedger } from './fleet-ledger.ts'
import { FleetProblem } from './redis-link.ts'
import { contentsScript } from './scripts.ts'

/** What the fleet remembers, and since when that is whole. Times are the fleet's, in epoch milliseconds. */
export interface FleetMemory {
  readonly now: number
  /** Changes when Redis has lost something. */
  readonly epoch: string
  readonly since: number
  /** When a runner that was cut off last sent without asking; 0 if none did. */
  readonly alone: number
}

/** An upload in the record. */
export interface FleetEntry {
  readonly slug: string
  /** As it was given to `confirm`. */
  readonly description: string
  /** How long ago the service showed it, in milliseconds. */
  readonly ageMs: number
}

/** An upload in the record, found by its slug. */
export interface OwnedEntry extends FleetEntry {
  readonly sha256: string
}

export type ClaimAnswer =
  /** The account has the content. */
  | { readonly type: 'stored'; readonly entry: FleetEntry }
  /** Redis has lost something: living runners first tell what they hold. */
  | { readonly type: 'settling'; readonly waitMs: number }
  /** A living runner holds it. */
  | { readonly type: 'waits'; readonly holder: string }
  /** It is this runner's now. The last holder may have stored it: look at the list first. */
  | { readonly type: 'heir'; readonly intent: string; readonly ageMs: number }
  /** It is this runner's now. */
  | { readonly type: 'granted' }

/** An upload that the service showed. */
export interface ShownUpload {
  readonly sha256: string
  /** Without spaces. */
  readonly slug: string
  /** Read by all versions of the caller. */
  readonly description: string
}

export interface Confirmed extends ShownUpload {
  /** How long ago the service showed it, in milliseconds. */
  readonly ageMs: number
}

/** A claim that a runner holds. */
export interface Held {
  readonly sha256: string
  readonly claim: string
  /** Empty before the first byte. */
  readonly intent: string
}

/** More arguments go in several calls, so that none blocks Redis for long. */
const PER_CALL = 500

/**
 * The calls of scripts/contents.lua. All throw FleetProblem, and each can be repeated: it then changes nothing more.
 * @param onMemory called with what every answer tells
 */
export function contentsCalls({ log, heartbeat }: OpenFleetLedger, onMemory: (memory: FleetMemory) => void) {
  async function call(operation: string, args: readonly string[]) {
    const answer = await heartbeat.run(contentsScript, [...log.scriptArguments(), operation, ...args])
    if (!Array.isArray(answer) || answer.length < 4) throw foreignAnswer()
    const [now, epoch, since, alone, ...rest] = answer
    const memory = { now: Number(now), epoch: String(epoch), since: Number(since), alone: Number(alone) }
    onMemory(memory)
    return { now: memory.now, rest }
  }

  /** One value for each argument. */
  async function each<T>(
    operation: string,
    args: readonly string[],
    read: (text: string, now: number) => T | undefined,
  ) {
    const found = new Map<string, T>()
    for (const chunk of chunks(args, PER_CALL)) {
      const { now, rest } = await call(operation, chunk)
      for (const [index, name] of chunk.entries()) {
        const value = read(String(rest[index] ?? ''), now)
        if (value !== undefined) found.set(name, value)
      }
    }
    return found
  }

  return {
    /** What the record has of these contents. */
    look: (sha256s: readonly string[]) => each('look', sha256s, readEntry),
    /** The contents of these slugs. */
    owners: (slugs: readonly string[]) =>
      each('owners', slugs, (text, now) => {
        const entry = readEntry(text.slice(text.indexOf(' ') + 1), now)
        return entry && { ...entry, sha256: text.slice(0, text.indexOf(' ')) }
      }),
    /** @param ended a claim whose process is known to have ended */
    async claim(sha256: string, claim: string, ended = ''): Promise<ClaimAnswer> {
      const { now, rest } = await call('claim', [sha256, claim, ended])
      const parsed = readClaim(rest.map(String), now)
      if (parsed === undefined) throw foreignAnswer()
      return parsed
    },
    /** @returns false if the claim is another runner's now */
    intend: async ({ sha256, claim, intent }: Held) =>
      (await call('intend', [sha256, claim, intent])).rest[0] === 'held',
    /** @returns the contents of claims that are another runner's now */
    async keep(held: readonly Held[]): Promise<readonly string[]> {
      const rows = held.map(({ sha256, claim, intent }) => [sha256, claim, intent])
      const { rest } = await call('keep', rows.flat())
      return Array.isArray(rest[0]) ? rest[0].map(String) : []
    },
    /** @param outcome `open`: it may be stored */
    release: async (sha256: string, claim: string, outcome: 'open' | 'not-stored') =>
      void (await call('release', [sha256, claim, outcome])),
    async confirm(uploads: readonly Confirmed[]) {
      for (const chunk of chunks(uploads, PER_CALL)) {
        const rows = chunk.map((one) => [one.sha256, one.slug, Math.max(one.ageMs, 0).toFixed(0), one.description])
        await call('confirm', rows.flat())
      }
    },
    async forget(slugs: readonly string[]) {
      for (const chunk of chunks(slugs, PER_CALL)) await call('forget', chunk)
    },
    alone: async () => void (await call('alone', [])),
  }
}

function* chunks<T>(items: readonly T[], size: number) {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}

function readEntry(text: string, now: number): FleetEntry | undefined {
  const [, at, slug, description] = /^(\d+) (\S+) (.*)$/s.exec(text) ?? []
  if (slug === undefined || description === undefined) return undefined
  return { slug, description, ageMs: Math.max(now - Number(at), 0) }
}

function readClaim([type, value = '']: readonly string[], now: number): ClaimAnswer | undefined {
  if (type === 'settling') return { type, waitMs: Number(value) }
  if (type === 'waits') return { type, holder: value }
  if (type === 'granted') return { type }
  if (type === 'stored') {
    const entry = readEntry(value, now)
    return entry && { type, entry }
  }
  const [, at, intent] = /^(\d+) (.*)$/s.exec(value) ?? []
  return type === 'heir' && intent !== undefined ? { type, intent, ageMs: now - Number(at) } : undefined
}

function foreignAnswer(): FleetProblem {
  return new FleetProblem('failed', 'Redis answered with something else than what runners have uploaded')
}

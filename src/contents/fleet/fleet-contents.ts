import { type Clock, steadyMs } from '../../clock.ts'
import type { Reconciliation } from '../../index.ts'
import type { OpenFleet } from '../../pacing/fleet/open-fleet.ts'
import { FRESH_MS } from '../../store/sqlite-uploads.ts'
import type { Content } from '../../store/upload-store.ts'
import type { DescribedUpload, Holder, OpenEntry } from '../journal-items.ts'
import { createFleetClaims } from './fleet-claims.ts'
import { recordedEntry, type SharedFact, sharedAccount } from './fleet-facts.ts'
import { createFleetTeller, type FleetPatience, PER_CALL, type TimedFact } from './fleet-teller.ts'
import { contentsForm, createSharedFold, sharedFoldOf } from './shared-fold.ts'

/** What the fleet remembers, and since when that is whole. Times are the fleet's, in epoch milliseconds. */
export interface FleetMemory {
  readonly now: number
  /** Changes when Redis has lost something. */
  readonly epoch: string
  readonly since: number
  /** When a runner that was cut off last sent without asking; 0 if none did. */
  readonly alone: number
}

/** An upload that the service showed. */
export interface StoredContent extends DescribedUpload {
  readonly content: Content
}

/** What runners tell again after Redis has lost something. */
const REMEMBERED_MS = 86_400_000
/** Redis is to hear soon what it has not heard yet. */
const UNTOLD_MS = 3_000

/** What all runners of a key have uploaded, and which of them sends what. */
export function createFleetContents(
  { openLog }: Pick<OpenFleet, 'openLog'>,
  clock: Clock,
  patience: FleetPatience = {},
) {
  let fold = createSharedFold()
  /** What this process has stored or seen within the last day. */
  let found: TimedFact[] = []
  let named = 0
  const { log, heartbeat } = openLog({
    form: contentsForm,
    deliver: (line) => fold.apply(line),
    rebuild(lines) {
      fold = sharedFoldOf(lines)
    },
    remembered: () => recent().map((one) => teller.dated(one)),
  })
  const teller = createFleetTeller({
    log,
    heartbeat,
    clock,
    ...patience,
    onNews: () => claims.review(),
    onRead: () => claims.setDoubt(false),
  })
  const claims = createFleetClaims({ log, heartbeat, clock, teller, fold: () => fold })

  function recent(): readonly TimedFact[] {
    const from = steadyMs(clock) - REMEMBERED_MS
    while (found[0] !== undefined && found[0].since < from) found.shift()
    return found
  }

  /** The log, and what the record has of each field. */
  async function ask<T>(
    names: readonly string[],
    kind: 'r' | 's',
    read: (name: string, text: string) => T | undefined,
  ): Promise<ReadonlyMap<string, T>> {
    const all = new Map<string, T>()
    try {
      for (let at = 0; at < names.length; at += PER_CALL) {
        const part = names.slice(at, at + PER_CALL)
        const asked = { condition: 'never', fields: part.map((name) => `${kind}:${name}`) } as const
        const { recorded } = await teller.patiently(() => teller.exchange(() => log.tell([], asked)))
        for (const [index, name] of part.entries()) {
          const value = read(name, recorded[index] ?? '')
          if (value !== undefined) all.set(name, value)
        }
      }
    } catch (error) {
      teller.ignore(error)
    }
    return all
  }

  heartbeat.watch({
    // An older state of Redis shows only in the log that has lost something.
    beat: () => teller.exchange(log.read).catch(teller.ignore),
    silenceMs() {
      if (teller.isEnded()) return Number.POSITIVE_INFINITY
      return teller.hasUntold() ? UNTOLD_MS : claims.silenceMs()
    },
    slept() {
      teller.slept()
      claims.setDoubt(true)
      if (claims.isHolding()) teller.readAgain()
    },
    heard(isLoss, wasSilent) {
      if (wasSilent) claims.wasSilent()
      if ((claims.isHolding() && (isLoss || wasSilent)) || (isLoss && recent().length > 0)) teller.readAgain()
      else teller.tell()
    },
  })

  return {
    claim: claims.claim,
    /** What the fleet has of these contents, by hash; nothing while Redis does not answer. */
    async look(contents: readonly Content[]) {
      const bySha = new Map(contents.map((content) => [content.sha256, content]))
      return await ask([...bySha.keys()], 'r', (sha256, text) => {
        const content = bySha.get(sha256)
        return content && fold.known(content, recordedEntry(sha256, text))
      })
    },
    /** The uploads of these slugs; nothing while Redis does not answer. */
    owners: (slugs: readonly string[]) =>
      ask(slugs, 's', (slug, text) => {
        const end = text.indexOf(' ')
        return fold.owner(slug, recordedEntry(text.slice(0, end), text.slice(end + 1)))
      }),
    /** By the last answer; undefined before the first. */
    memory(): FleetMemory | undefined {
      if (log.heardAt() === undefined) return undefined
      const { name: epoch, since } = log.epoch()
      return { now: log.now(), epoch, since, alone: fold.aloneAt() }
    },
    /** What became of an upload that a runner left open. */
    settle({ intent }: OpenEntry, outcome: Reconciliation) {
      if (outcome.type === 'stored') teller.tell({ ...intent, type: 'found', upload: outcome.upload })
      if (outcome.type === 'not-stored') teller.tell({ type: 'not-stored', id: intent.id })
    },
    /** The process of this run has ended, as this machine knows. */
    giveUp: (holder: Holder) => teller.tell({ type: 'end', run: holder.run.run }),
    /** The service showed it just now. @param claim the one that has stored it */
    confirm({ content, name, mimeType, upload }: StoredContent, claim?: string) {
      named += 1
      const fact: SharedFact = {
        type: 'found',
        ...sharedAccount,
        id: claim ?? `${log.runner}.${named}`,
        run: claim === undefined ? '' : claims.run(),
        path: `-${name}`,
        ...content,
        ...(mimeType !== undefined && { mime_type: mimeType }),
        upload,
        at: 0,
      }
      found.push({ fact, since: steadyMs(clock) })
      const known = claim === undefined ? fold.known(content) : undefined
      // Others need not ask the service for what is fresh; each run confirms all that it knows.
      const isNews = known?.upload.slug !== upload.slug || known.at < log.now() - FRESH_MS
      if (isNews) teller.tell(fact)
    },
    /** The service no longer has these. */
    forget(slugs: readonly string[]) {
      found = found.filter(({ fact }) => fact.type !== 'found' || !slugs.includes(fact.upload.slug))
      teller.tell(...slugs.map((slug) => ({ type: 'forgotten', ...sharedAccount, slug }) as const))
    },
    /** Tells the fleet what is still untold, for a few seconds at most. */
    close: teller.close,
    [Symbol.asyncDispose]: teller.close,
  }
}

export type FleetContents = ReturnType<typeof createFleetContents>

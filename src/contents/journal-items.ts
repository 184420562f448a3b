import { basename, resolve } from 'node:path'
import type { Upload, UploadIntent } from '../index.ts'
import type { ClaimFact, FoundFact, IntentFact, JournalFact, RunFact } from './journal-facts.ts'

export type Outcome =
  /** `isLooking`: its attempt has ended without an answer, and its run looks for it. */
  | { readonly type: 'open'; readonly isLooking?: boolean }
  | { readonly type: 'unknown'; readonly at: number }
  | { readonly type: 'not-stored' }
  | StoredOutcome

interface StoredOutcome {
  readonly type: 'stored'
  readonly slug: string
  /** Undefined where the journal keeps no more than the record. */
  readonly upload: Upload | undefined
  /** When the service last showed that it has it, in epoch milliseconds. */
  readonly at: number
}

/** An upload of which the journal keeps what the record has. Its run is over. */
export type RecentItem = Omit<ClaimFact, 'type'> & { readonly type: 'recent' }

type ItemFact = ClaimFact | IntentFact | FoundFact | RecentItem

/** One item of a run, as the journal's lines tell of it so far. */
export interface JournalItem {
  fact: ItemFact
  outcome: Outcome
}

/** An upload whose outcome is unknown. */
export interface OpenEntry {
  readonly intent: IntentFact
  /** Epoch milliseconds at which its run gave up; null if the run ended before that. */
  readonly endedAt: number | null
}

/** An upload that a run at work has begun to send, and whose outcome is not known yet. */
export interface Underway {
  readonly id: string
  readonly size: number
  readonly mimeType: string
  /** Of what was sent, in hex; empty until all bytes are: so long the service cannot have stored it. */
  readonly sha256: string
  /** Whether its attempt has ended without an answer. */
  readonly isLooking: boolean
}

/** A stored content. */
export interface StoredEntry extends Omit<StoredOutcome, 'type'> {
  readonly item: ItemFact
}

/** What the fleet's record says of an upload. */
export interface DescribedUpload {
  /** The base name of the file. */
  readonly name: string
  /** The type that was sent, if this is known. */
  readonly mimeType?: string | undefined
  readonly upload: Upload
}

/** An upload of some content, of which others have told. */
export interface FleetEntry extends DescribedUpload {
  readonly sha256: string
  /** When the service showed it, in epoch milliseconds by the fleet's time. */
  readonly at: number
}

/** How a claim stands among those of all runs of this machine, or of all runners of a fleet. */
export type Standing =
  /** No earlier claim is in the way, and none has left it open. */
  | { readonly type: 'first' }
  /** The same, as far as a runner can know that is cut off from Redis. */
  | { readonly type: 'alone' }
  /** An earlier claim may be on the same content: this one's hash tells. */
  | { readonly type: 'needs-hash' }
  /** A working run sends the same content, or content that it has not hashed yet. */
  | { readonly type: 'waits'; readonly holder?: Holder | undefined }
  /** A run that is over may have stored the same content. */
  | { readonly type: 'open'; readonly entry: OpenEntry }
  /** The same content is stored. Of a fleet, without an entry, its record tells. */
  | { readonly type: 'stored'; readonly entry?: FleetEntry | undefined }
  /** Redis does not answer at the moment, or has lost something: living runners first tell what they hold. */
  | { readonly type: 'silent' | 'settling'; readonly waitMs: number }
  /** This runner was given up: the content has to be claimed again. */
  | { readonly type: 'lost' }

/** The run that sends a content, and its file. */
export interface Holder {
  readonly run: RunFact
  /** Its item. */
  readonly id?: string
  /** Absolute, or `-` and a name. */
  readonly path?: string
}

export interface RunFacts {
  /** Whether a run is still at work. */
  works(run: string): boolean
  factOf(run: string): RunFact | undefined
  /** What runs that are over left open before this time is not looked for any more, in epoch milliseconds. */
  readonly since: number
}

/**
 * How a claim stands after the earlier ones on its size.
 * @param sha256 of its content; empty if that is not known
 */
export function standingAfter(earlier: readonly JournalItem[], sha256: string, runs: RunFacts): Standing {
  const { works } = runs
  const rivals = earlier.filter((item) => isRival(item, sha256, runs))
  if (rivals.length === 0) return { type: 'first' }
  if (sha256 === '') return { type: 'needs-hash' }
  if (rivals.some(({ outcome }) => outcome.type === 'stored')) return { type: 'stored' }
  // Of several that wait for a run that is over the first finds out.
  const sending = rivals.filter(({ fact, outcome }) => outcome.type === 'open' && works(fact.run))
  const [entry] = sending.length > 0 ? [] : rivals.flatMap((item) => openEntry(item) ?? [])
  if (entry !== undefined) return { type: 'open', entry }
  const [holder] = sending.flatMap(({ fact }) => {
    const run = runs.factOf(fact.run)
    return run === undefined ? [] : { run, path: fact.path, id: fact.id }
  })
  return { type: 'waits', holder }
}

/** Whether an item may be, or become, an upload of the same content. */
function isRival({ fact, outcome }: JournalItem, sha256: string, { works, since }: RunFacts): boolean {
  if (outcome.type === 'not-stored') return false
  if (outcome.type !== 'stored' && fact.at < since && !works(fact.run)) return false
  // A content that was not read yet becomes known as long as its run works.
  if (fact.sha256 === '') return outcome.type === 'open' && works(fact.run)
  // Of a claim whose run is over nothing was sent.
  const counts = fact.type !== 'claim' || works(fact.run)
  return counts && (sha256 === '' || sha256 === fact.sha256)
}

/** A claim, and the size by which it is compared. */
export type ItemSize = Pick<ClaimFact, 'id' | 'size' | 'base_url' | 'key_hash'>

/** Whether an open claim came after one. */
export function hasLaterClaim(sameSize: readonly JournalItem[], id: string): boolean {
  const own = sameSize.findIndex(({ fact }) => fact.id === id)
  return sameSize.slice(own + 1).some(({ fact, outcome }) => fact.type === 'claim' && outcome.type === 'open')
}

export function openEntry({ fact, outcome }: JournalItem): OpenEntry | undefined {
  if (fact.type !== 'intent') return undefined
  if (outcome.type === 'unknown') return { intent: fact, endedAt: outcome.at }
  return outcome.type === 'open' ? { intent: fact, endedAt: null } : undefined
}

export function underway({ fact, outcome }: JournalItem): Underway | undefined {
  if (fact.type !== 'intent' || outcome.type !== 'open') return undefined
  const { id, size, mime_type: mimeType, sha256 } = fact
  return { id, size, mimeType, sha256, isLooking: outcome.isLooking === true }
}

/** The lines that say all of an item; none where it was not stored, or the journal keeps no more than the record. */
export function itemFacts({ fact, outcome }: JournalItem): readonly JournalFact[] {
  if (fact.type === 'recent' || outcome.type === 'not-stored') return []
  const { id } = fact
  if (outcome.type === 'unknown') return [fact, { ...outcome, id }]
  if (outcome.type === 'open') return outcome.isLooking ? [fact, { type: 'looking', id }] : [fact]
  const { upload, at } = outcome
  if (upload === undefined) return []
  return fact.type === 'found' ? [fact] : [fact, { type: 'done', id, upload, at }]
}

/** The lines that say what other lines do not say of an item. @param there the same item by those */
export function lostFacts(item: JournalItem, there: JournalItem | undefined): readonly JournalFact[] {
  if (there?.outcome.type === item.outcome.type && there.fact.type === item.fact.type) return []
  const isOpenThere = item.outcome.type === 'not-stored' && there !== undefined
  return isOpenThere ? [{ type: 'not-stored', id: item.fact.id }] : itemFacts(item)
}

/** The line of an attempt. */
export function intentFact(item: Omit<ClaimFact, 'type'>, intent: UploadIntent): IntentFact {
  const { size, mimeType: mime_type, startedAt: at, monotonic, serviceStartedAt: service } = intent
  const times = service && { service_from: service.from, service_to: service.to }
  const begun = { type: 'intent', ...item, size: size ?? item.size, mime_type, at } as const
  return { ...begun, ...(monotonic !== undefined && { monotonic }), ...times }
}

/** What `client.reconcile` takes. @param knownSlugs of other files */
export function uploadIntent({ intent, endedAt }: OpenEntry, knownSlugs: readonly string[]): UploadIntent {
  const { size, mime_type, at, monotonic, service_from, service_to } = intent
  return {
    size,
    mimeType: mime_type,
    startedAt: at,
    endedAt,
    ...(monotonic !== undefined && { monotonic }),
    ...(service_from !== undefined &&
      service_to !== undefined && { serviceStartedAt: { from: service_from, to: service_to } }),
    knownSlugs,
  }
}

export function storedEntry({ fact, outcome }: JournalItem): readonly StoredEntry[] {
  return outcome.type === 'stored' ? [{ ...outcome, item: fact }] : []
}

/** A file's name in the journal: its absolute path, or `-` and the name of what is not read from a path. */
export function journalName(file: string, name: string | undefined): string {
  return name === undefined ? resolve(file) : `-${name}`
}

/** The base name of a path in the journal; what is not read from a path has a `-` and its name there. */
export function nameOf(path: string): string {
  return path.startsWith('-') ? path.slice(1) : basename(path)
}

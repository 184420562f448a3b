import {
  aListOf,
  aNumber,
  anObjectHaving,
  anything,
  aText,
  type FieldsOf,
  ifSound,
  type Kind,
  maybe,
  readJson,
  type TaggedOf,
  taggedOf,
} from '../checks/values.ts'
import type { Upload } from '../index.ts'
import { isTooDeep } from '../protocol/json-depth.ts'
import { ownerFields } from '../system/process-identity.ts'
import { recordedFields } from './recorded-fields.ts'

const account = {
  base_url: aText,
  /** A hash of address and API key; the key itself is never written. */
  key_hash: aText,
}

/** One key of one service. */
export type Account = FieldsOf<typeof account>

/** One file of one run, and its content. */
const item = {
  ...account,
  /** Identifies one item of one run; all facts about it have the same id. */
  id: aText,
  run: aText,
  /** Absolute; `-` and the name of what is not read from a path: of a URL nothing else is kept. */
  path: aText,
  /** In bytes. */
  size: aNumber,
  /** Hash of the content; empty if it was not read to its end yet: then a `hashed` fact follows. */
  sha256: aText,
  /** Epoch milliseconds, like all times here. */
  at: aNumber,
}

/** What is kept of an upload: every version wrote these fields, and links are made of those that are text. */
export const keptUpload = anObjectHaving({
  ...Object.fromEntries(recordedFields.map((field) => [field, anything])),
  slug: aText,
  url: aText,
  direct_url: aText,
  mime_type: aText,
}) as Kind<Upload>

const facts = {
  /** A run has begun; its process works until the run's `end`. */
  run: { run: aText, ...ownerFields, at: aNumber },
  /** A run means to send a file: of several claims on the same content the first in the journal counts. */
  claim: item,
  /** A run is about to send an upload. */
  intent: {
    ...item,
    mime_type: aText,
    /** The clock's monotonic time at `at`; where both advanced equally, the clock was not set. */
    monotonic: maybe(aNumber),
    /** Bounds of `at` by the service's clock, if an earlier answer had a Date. */
    service_from: maybe(aNumber),
    service_to: maybe(aNumber),
  },
  /** The service showed that it has a file's content; with the type that was sent, if this is known. */
  found: { ...item, mime_type: maybe(aText), upload: keptUpload },
  /** The content's hash, if it was not known before the first byte was sent. */
  hashed: { id: aText, sha256: aText },
  /**
   * Uploads of which this is all that a shorter journal keeps, as lines of the record, where they are too; and of those that
   * were fresh then the upload, at the same place.
   */
  recent: { ...account, entries: aListOf(aText), uploads: ifSound(aListOf(aText)) },
  /** The upload is stored. Earlier versions wrote no time. */
  done: { id: aText, upload: keptUpload, at: maybe(aNumber) },
  /** The upload failed and is certainly not stored, or was not begun. */
  'not-stored': { id: aText },
  /** All bytes were sent and no answer tells the outcome: the run itself looks for it. Earlier versions write none. */
  looking: { id: aText },
  /** The outcome is unknown; the next run finds out. */
  unknown: { id: aText, at: aNumber },
  /** The run is over. */
  end: { run: aText },
  /** A run asks the service to delete the upload: until it is forgotten or kept, or the run is over, its link may end. */
  deleting: { ...account, run: aText, slug: aText },
  /** It was not deleted. */
  kept: { ...account, slug: aText },
  /** What a run has of the account is to be forgotten once the run is over. */
  leaving: { ...account, run: aText },
  /** The uploads of another key become those of this one, in the record first: until the journal is without this line. */
  adopting: { ...account, from: anObjectHaving(account) },
  /** The service no longer has the upload. */
  forgotten: { ...account, slug: aText },
}

/** One line of the journal. The state at any moment is the fold of all lines in their order. */
export type JournalFact = TaggedOf<'type', typeof facts>

type Fact<Type extends JournalFact['type']> = Extract<JournalFact, { type: Type }>
export type RunFact = Fact<'run'>
export type ClaimFact = Fact<'claim'>
export type IntentFact = Fact<'intent'>
export type FoundFact = Fact<'found'>
export type RecentFact = Fact<'recent'>

/** What another machine knows of a file: its item belongs to no run of this one, and so to one that is over. */
export type LearntFact = Omit<FoundFact, 'id' | 'run' | keyof Account> | Omit<IntentFact, 'id' | 'run' | keyof Account>

/** A fact keeps what a later version adds to it. */
const journalFact = taggedOf('type', facts, anObjectHaving)

export function toLine(fact: JournalFact): string {
  return JSON.stringify(fact)
}

/** All readable facts; torn lines and lines too deep to be written again are left out. */
export function parseLines(lines: readonly string[]): readonly JournalFact[] {
  return lines.flatMap((line) => (isTooDeep(line) ? [] : (readJson(journalFact, line) ?? [])))
}

/** How many facts a line stands for. */
export function countOf(fact: JournalFact): number {
  return fact.type === 'recent' ? fact.entries.length : 1
}

/** What a line costs to read. The unit is a line of one fact, which takes as long as ten entries of a `recent` one. */
export function weightOf(fact: JournalFact): number {
  return fact.type === 'recent' ? fact.entries.length * RECENT_WEIGHT : 1
}

/** Of one entry of a `recent` line. */
export const RECENT_WEIGHT = 0.1

/** Whether a file with these lines is a journal, or empty. */
export function looksLikeJournal(lines: readonly string[]): boolean {
  const first = lines.find((line) => line.trim() !== '')
  return first === undefined || /^\s*\{"type":"/.test(first)
}

export function isOf(one: Account, other: Account): boolean {
  return one.base_url === other.base_url && one.key_hash === other.key_hash
}

/** @param what of the account: a size, a slug or the name of a run */
export function accountKey({ key_hash, base_url }: Account, what: string | number): string {
  return `${key_hash} ${base_url} ${what}`
}

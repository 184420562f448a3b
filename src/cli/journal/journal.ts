import type { Reconciliation, Upload, UploadIntent } from '../../index.ts'
import type { LearntFact, RunFact } from './journal-facts.ts'
import type { OpenEntry, Standing, Underway } from './journal-items.ts'
import type { Content, KnownUpload } from './known-uploads.ts'
import type { OtherKey } from './other-keys.ts'

/** A content that this run means to send, and what becomes of it. */
export interface Claim {
  /** Its name in the journal. */
  readonly id: string
  /** How this item stands among the claims of all runs on the same content. */
  standing(): Standing
  /** Call before the first byte of each attempt is sent. */
  intend(intent: UploadIntent): void
  hashed(sha256: string): void
  /** All bytes were sent, and no answer tells whether it is stored: this run looks for it. */
  looking(): void
  done(upload: Upload): void
  /** The item was not sent, or failed and is certainly not stored. */
  notStored(): void
  /** The outcome is unknown; the same as `notStored` where no attempt was made. */
  unknown(): void
}

export interface LatestNews {
  /** As {@link Journal.slugs}. */
  readonly slugs: readonly string[]
  /** What runs at work have begun to send without an outcome, in the journal's order. */
  readonly underway: readonly Underway[]
  /** What became of an upload of this name; undefined if no run has found that out. */
  outcomeOf(id: string): Reconciliation | undefined
}

/** The uploads of this run and of others of the account: what is stored, what is being sent, and what was left open. */
export interface Journal {
  /** Uploads that were in flight when their runs ended. */
  unsettled(): readonly OpenEntry[]
  /** The intent to pass to `client.reconcile`. */
  intentOf(entry: OpenEntry): UploadIntent
  settle(entry: OpenEntry, reconciliation: Reconciliation): void
  /** Records the content's hash of an upload whose run was killed before it knew it. */
  identify(entry: OpenEntry, sha256: string): void
  /** All uploads of the account that runs have stored or found by now. */
  slugs(): readonly string[]
  /** The same, and with it what else runs, this one too, have told by now. */
  latest(): LatestNews
  /** Whether the service has stored files of this type as they were sent, and none otherwise. */
  keeps(mimeType: string): boolean
  /** Other keys of the same address with uploads here; none once this key has uploads. */
  otherKeys(): readonly OtherKey[]
  /**
   * Makes the uploads of another key those of this one.
   * @returns false if another process is rewriting the journal
   */
  adopt(other: OtherKey): boolean
  /** Whether a file of this size may be stored already, so that its hash has to be compared. */
  mayHave(size: number): boolean
  /** Looks sizes up in the record: once for a whole batch, because the record may be long. */
  expect(sizes: ReadonlySet<number>): void
  /** The stored uploads of a content, the newest first. */
  known(content: Content): readonly KnownUpload[]
  /** Claims a content for this run, before anything of it is sent. */
  claim(path: string, content: Content): Claim
  /** The service showed that it has this content. */
  found(path: string, content: Content, upload: Upload): void
  /** Notes what another machine knows of a file. @returns the name of its item */
  learn(fact: LearntFact): string
  /** Whether the claim of this name belongs to a process of this machine that has ended. */
  isOver(claim: string): boolean
  /** The run that asks the service to delete an upload of this content right now. */
  deleter(content: Content): RunFact | undefined
  /** Call before the request to delete an upload leaves. */
  deleting(slug: string): void
  /** The upload was certainly not deleted. */
  kept(slug: string): void
  /** The service no longer has these uploads. */
  forget(slugs: readonly string[]): void
  /** The run is over. */
  close(): void
}

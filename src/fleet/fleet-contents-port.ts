import type { ClaimAnswer, FleetEntry, FleetMemory, OwnedEntry, ShownUpload } from './contents-calls.ts'

/** A content that this runner sends, and that no other runner sends meanwhile. */
export interface FleetClaim {
  /** Aborts once another runner has it: nothing more may be sent. */
  readonly lost: AbortSignal
  /** Whether this process slept so long that another runner may have it. */
  isDoubtful(): boolean
  /**
   * Call before the first byte of each attempt leaves.
   * @param intent what an heir has to know
   * @returns false if nothing may be sent before the content is claimed again
   */
  intend(intent: string, signal?: AbortSignal): Promise<boolean>
  /** Ends it. `stored`: it was confirmed. `open`: it may be stored; the next runner that claims it has to find out. */
  release(outcome: 'stored' | 'not-stored' | 'open'): void
}

export type FleetClaimAnswer =
  | Exclude<ClaimAnswer, { readonly type: 'granted' | 'heir' }>
  | (Extract<ClaimAnswer, { readonly type: 'granted' | 'heir' }> & { readonly claim: FleetClaim })
  /** Redis does not answer at the moment. */
  | { readonly type: 'unreachable'; readonly waitMs: number }
  /** Redis has not answered for long: look at the list before each upload. */
  | { readonly type: 'alone'; readonly claim: FleetClaim }

/** What all runners of a key have uploaded, and which of them sends what. */
export interface FleetContents {
  /** What the record has of these contents; nothing while Redis does not answer. */
  look(sha256s: readonly string[]): Promise<ReadonlyMap<string, FleetEntry>>
  /** The contents of these slugs; nothing while Redis does not answer. */
  owners(slugs: readonly string[]): Promise<ReadonlyMap<string, OwnedEntry>>
  /**
   * Claims a content for an upload of this runner.
   * @param name of the claim, without spaces
   * @param ended the name of a claim whose process has ended
   */
  claim(sha256: string, name: string, ended?: string): Promise<FleetClaimAnswer>
  /** The service showed these just now. Tells the fleet, at once or as soon as Redis answers. */
  confirm(uploads: readonly ShownUpload[]): void
  /** The service no longer has these. Tells the fleet like `confirm`. */
  forget(slugs: readonly string[]): void
  /** By the last answer; undefined before the first. */
  memory(): FleetMemory | undefined
  /** Tells the fleet what is still untold, for a few seconds at most. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

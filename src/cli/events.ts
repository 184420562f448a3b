import type { ClientEvent, Stats, Upload } from '../index.ts'
import type { Failure } from './failure.ts'

/** What is left of the quota, as the headers of an answer tell; null where they do not. */
export interface QuotaReport {
  readonly limit: number | null
  readonly remaining: number | null
  /** ISO 8601. */
  readonly reset_at: string | null
  readonly cost: number | null
}

/** What became of one item of a batch. An item that was never started is `skipped` and has an error. */
export interface ItemRecord {
  /** The key is `file` for an upload, `slug` for a deletion. */
  readonly subject: { readonly file: string } | { readonly slug: string }
  readonly status: 'uploaded' | 'skipped' | 'deleted' | 'failed' | 'unknown'
  readonly upload: Upload | null
  readonly error: Failure | null
}

/** Everything that can happen in a command. Commands report it, reporters show it. */
export type CliEvent =
  /** What the client does on the wire. */
  | { readonly type: 'wire'; readonly event: ClientEvent }
  /** Worth knowing, not needed: silenced by --quiet. */
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'failed'; readonly failure: Failure }
  | { readonly type: 'stopping'; readonly inFlight: number; readonly graceMs: number }
  | { readonly type: 'upload-listed'; readonly upload: Upload }
  | { readonly type: 'list-ended' }
  | { readonly type: 'upload-shown'; readonly upload: Upload }
  | { readonly type: 'stats-shown'; readonly stats: Stats; readonly quota: QuotaReport }
  | { readonly type: 'batch-started'; readonly total: number }
  | {
      readonly type: 'item-finished'
      readonly index: number
      readonly record: ItemRecord
      /** What is printed of it on stdout; null where there is nothing. */
      readonly link: string | null
    }
  | { readonly type: 'batch-ended'; readonly records: readonly ItemRecord[] }
  /** A document of its own: `text` for people, `data` for programs. */
  | { readonly type: 'shown'; readonly text: string; readonly data: unknown }
  /** An effect that leaves nothing to print but the news of it. */
  | { readonly type: 'settled'; readonly text: string; readonly data: unknown }
  | {
      readonly type: 'emulator-ready'
      readonly ready: EmulatorReady
      /** With a command, stdout belongs to it. */
      readonly withCommand: boolean
    }

/** The ready line of `fh emulate --json`. */
export interface EmulatorReady {
  readonly base_url: string
  readonly api_key: string
  readonly control_url: string
  readonly site_url: string
  readonly pid: number
  /** What the control API asks of other machines; present where they can reach it. */
  readonly control_token?: string
}

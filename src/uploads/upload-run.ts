import type { Client, Clock } from '../index.ts'
import type { Content, Holder, UploadStore } from '../store/upload-store.ts'

/** What people are told while contents are compared, waited for and settled. */
export type UploadNote =
  | { readonly type: 'checks-earlier'; readonly files: readonly string[]; readonly ms: number }
  | { readonly type: 'upload-gone'; readonly path: string; readonly slug: string }
  /** Another file has the same content. `holder`: undefined for a run of another machine. */
  | { readonly type: 'waits'; readonly path: string; readonly holder: Holder | undefined }

/** A run that compares contents with those of an account. */
export interface UploadRun {
  readonly store: UploadStore
  /** What it lists and shows proves something: see `provingClient`. */
  readonly client: Pick<Client, 'list' | 'show' | 'reconcile'>
  readonly context: {
    readonly clock: Clock
    readonly note: (note: UploadNote) => void
    /** Aborts when nothing new may begin. */
    readonly interruption: { readonly stopping: AbortSignal }
  }
}

/** A file whose content is known. */
export interface KnownFile {
  /** As messages name it. */
  readonly label: string
  /** In the store. */
  readonly path: string
  readonly content: Content
}

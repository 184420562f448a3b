import type { Client } from '../../../index.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Context } from '../../run/context.ts'
import type { GracefulUpload } from './graceful-upload.ts'
import type { Comparison } from './known-content.ts'
import type { ListLook } from './list-look.ts'
import type { RunLookalikes } from './lookalikes.ts'
import type { Reconciler } from './resume.ts'
import type { SharedContents } from './shared-contents.ts'
import type { UploadLimits } from './stdin-file.ts'

export interface UploadTools {
  readonly client: Client
  readonly context: Context
  readonly journal: Journal
  /** What is known of the batch's contents; undefined to upload files again that the account has. */
  readonly comparison: Comparison | undefined
  readonly lookalikes: RunLookalikes
  readonly reconciler: Reconciler
  /** Undefined where there is no fleet. */
  readonly shared: SharedContents | undefined
  readonly listLook: ListLook | undefined
  /** How often a file is sent again that is proven not stored. */
  readonly retries: number
  /** File name for standard input. */
  readonly name: string
  readonly limits: UploadLimits
}

export interface Place {
  /** The file to read. */
  readonly path: string
  /** Its size, if known before reading. */
  readonly bytes?: number | undefined
  readonly halted: AbortSignal
  /** Its place in the batch, from 0. */
  readonly index: number
}

export interface Sending extends Place {
  readonly grace: GracefulUpload
  readonly hash: () => Promise<string>
}

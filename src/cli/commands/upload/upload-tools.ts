import type { Client } from '../../../index.ts'
import type { Context } from '../../context/context.ts'
import type { Journal } from '../../journal/journal.ts'
import type { GracefulUpload } from './graceful-upload.ts'
import type { Comparison } from './once/known-content.ts'
import type { ListLook } from './once/list-look.ts'
import type { Reconciler } from './once/resume.ts'
import type { RunLookalikes } from './once/run-lookalikes.ts'
import type { SharedContents } from './once/shared-contents.ts'
import type { OpenItem } from './sources/open-item.ts'
import type { RemoteFiles } from './sources/remote-files.ts'
import type { UploadLimits } from './sources/spooled-file.ts'

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
  readonly limits: UploadLimits
  /** Undefined where all items are on disk, or streams. */
  readonly remoteFiles: RemoteFiles | undefined
  /** The address of the service. */
  readonly baseUrl: string
  /** Sizes of uploads that earlier runs left open. */
  readonly leftOpen: ReadonlySet<number>
}

/** An item that is being uploaded. */
export interface Sending extends Pick<OpenItem, 'path' | 'remote' | 'bytes'> {
  /** As messages name it. */
  readonly label: string
  /** Its place in the batch, from 0. */
  readonly index: number
  readonly grace: GracefulUpload
  /** Of the file; of one on a site, which is sent as it comes, empty. */
  readonly hash: () => Promise<string>
}

import type { Client, UploadState } from '../../../index.ts'
import type { LinkFormat } from '../../../protocol/upload-links.ts'
import type { UploadStore } from '../../../store/upload-store.ts'
import { anySignal } from '../../../system/signals.ts'
import type { Comparison } from '../../../uploads/known.ts'
import type { ListLook } from '../../../uploads/list-look.ts'
import type { Reconciler } from '../../../uploads/reconciler.ts'
import type { TellApart } from '../../../uploads/tell-apart.ts'
import type { FileToSend } from '../../../uploads/waiting.ts'
import type { Context } from '../../context/context.ts'
import type { Interruption } from '../../context/interruption.ts'
import type { ProgressChoice } from '../../output/events.ts'
import type { UploadInputs } from './inputs/upload-inputs.ts'
import type { OpenItem } from './sources/open-item.ts'
import type { RemoteFiles } from './sources/remote-files.ts'
import type { UploadLimits } from './sources/spooled-file.ts'

/** What is not said here, the help of its flag says. */
export interface UploadCommandOptions extends UploadInputs {
  readonly jobs: number
  readonly format: LinkFormat
  readonly failFast?: true
  readonly errorOnNoTransfer?: true
  readonly dryRun?: true
  /** Whether uploads are remembered, and those of other runs heeded; undefined for true. */
  readonly journal?: boolean | undefined
  readonly force?: true
  /** Units of the hour and day quota to leave unused. */
  readonly reserve?: number | undefined
  /** Bytes per second of all uploads together. */
  readonly bwlimit?: number | undefined
  readonly progress: ProgressChoice
  readonly copy?: true
  readonly open?: true
}

export interface UploadTools {
  readonly client: Client
  readonly context: Context
  readonly store: UploadStore
  /** What is known of the batch's contents; undefined to upload files again that the account has. */
  readonly comparison: Comparison | undefined
  readonly lookalikes: TellApart
  /** Whether other runners of the key tell what they upload. */
  readonly isShared: boolean
  readonly reconciler: Reconciler
  readonly listLook: ListLook
  readonly limits: UploadLimits
  /** Undefined where all items are on disk, or streams. */
  readonly remoteFiles: RemoteFiles | undefined
  readonly baseUrl: string
  /** Whether a file's hash is kept, or compared with that of another file of the run. */
  readonly needsHashes: boolean
  /** Whether the next run looks for what this one leaves open. */
  readonly isRemembered: boolean
  /** Sizes of uploads that earlier runs left open. */
  readonly leftOpen: ReadonlySet<number>
}

export interface Sending extends FileToSend, Pick<OpenItem, 'remote' | 'bytes'> {
  /** Its place in the batch, from 0. */
  readonly index: number
  readonly grace: ReturnType<typeof createGracefulUpload>
}

/**
 * Watches one upload, until it is disposed. The first signal ends it while it waits for quota; once bytes are on the wire, it
 * has the grace period to finish.
 *
 * @param halted aborts when the batch stops: uploads that have sent nothing stop too, the others finish
 */
export function createGracefulUpload({ stopping, givingUp, watch }: Interruption, halted?: AbortSignal) {
  const unsent = new AbortController()
  const ended = new AbortController()
  let state: UploadState = 'waiting'
  const nothingSent = () => state === 'waiting'
  const stops = halted === undefined ? [stopping] : [stopping, halted]
  const abortIfUnsent = () => {
    for (const { aborted, reason } of stops) if (aborted && nothingSent()) unsent.abort(reason)
  }
  const unwatch = watch(() => !nothingSent())
  for (const stop of stops) stop.addEventListener('abort', abortIfUnsent)
  abortIfUnsent()
  return {
    /** Aborts when the upload has to end. */
    signal: anySignal([givingUp, unsent.signal], ended.signal),
    onState(next: UploadState): void {
      state = next
      abortIfUnsent()
    },
    /** Whether no byte of the file has been sent in the current attempt. */
    nothingSent,
    /** Whether the whole file has been sent, so that the service may have stored it. */
    allSent: () => state === 'sent',
    [Symbol.dispose]() {
      ended.abort()
      unwatch()
      for (const stop of stops) stop.removeEventListener('abort', abortIfUnsent)
    },
  }
}

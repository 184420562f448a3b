import { basename } from 'node:path'
import { FileHostError, UnknownOutcomeError } from '../index.ts'
import { StoreError } from '../store/store-error.ts'
import type { Content, Holder } from '../store/upload-store.ts'
import { isAlive, isStopped } from '../system/processes.ts'
import { isAbort } from '../system/signals.ts'
import { type Comparison, findPresent, type Present } from './known.ts'
import { unconfirmed } from './reconciler.ts'
import type { UploadNote, UploadRun, WaitForRun } from './upload-run.ts'

/** A file that is to be sent. */
export interface FileToSend {
  /** As messages name it. */
  readonly label: string
  /** Undefined for what is not on the disk. */
  readonly path: string | undefined
  /** Of the file as it is now; empty for one on a site, which is sent as it comes. */
  readonly hash: () => Promise<string>
  readonly grace: {
    /** Aborts when the upload has to end. */
    readonly signal: AbortSignal
    /** Whether the whole file has been sent, so that the service may have stored it. */
    allSent(): boolean
  }
}

/** A file that cannot be read is reported when it is sent. */
export async function readable(hash: () => Promise<string>): Promise<string> {
  return await hash().catch((error) => {
    if (isAbort(error)) throw error
    return ''
  })
}

/** @throws UnknownOutcomeError if the service cannot be asked */
export async function findPresentUpload(
  path: string,
  content: Content,
  sending: Pick<FileToSend, 'label' | 'grace'>,
  tools: UploadRun & { readonly comparison: Comparison | undefined },
): Promise<Present | undefined> {
  if (tools.comparison === undefined || content.sha256 === '') return undefined
  const wait = waitingFor(sending, tools.context, 'deletes')
  // The service may still show an upload that a run of this machine is deleting.
  for (let deleter = await deleterOf(content, tools); deleter; deleter = await deleterOf(content, tools))
    await wait(undefined, deleter)
  return await orUnconfirmed(findPresent({ label: sending.label, path, content }, tools, sending.grace.signal))
}

async function deleterOf(content: Content, { store }: Pick<UploadRun, 'store'>): Promise<Holder | undefined> {
  return (await store.known(content)).flatMap(({ deleter }) => deleter ?? [])[0]
}

/** The service may be unable to tell what it has. */
export async function orUnconfirmed<T>(asking: Promise<T>): Promise<T> {
  try {
    return await asking
  } catch (error) {
    // Where the quota could not be asked for, nothing was sent to the service, and nothing will be.
    const isAsked = error instanceof FileHostError && !(error.cause instanceof StoreError)
    throw isAsked && !(error instanceof UnknownOutcomeError) ? unconfirmed(error) : error
  }
}

/** How long to wait before looking again whether another run has stored the same content. */
const LOOK_AGAIN_MS = 100
const WORTH_SAYING_MS = 1_000

/** Waits a moment for another run, and says so once it has taken long. */
export function waitingFor(
  { label, grace }: Pick<FileToSend, 'label' | 'grace'>,
  { clock, note }: UploadRun['context'],
  work: WaitForRun['work'],
): (ms?: number, holder?: Holder) => Promise<void> {
  let waitedMs = 0
  let isSaid = false
  return async (ms = LOOK_AGAIN_MS, holder) => {
    if (waitedMs >= WORTH_SAYING_MS && !isSaid) {
      note(waitNote(label, work, holder, clock.now()))
      isSaid = true
    }
    waitedMs += ms
    await clock.sleep(ms, grace.signal)
  }
}

/** Names the process, or the other file of this run; a run of another machine has neither to name. */
function waitNote(path: string, work: WaitForRun['work'], holder: Holder | undefined, now: number): UploadNote {
  if (holder === undefined || holder.isOwn || !isAlive(holder.pid)) {
    return { type: 'waits-for-other', path, other: holder?.isOwn && holder.path ? basename(holder.path) : undefined }
  }
  const { pid, since } = holder
  return { type: 'waits-for-process', path, work, process: { pid, since, isStopped: isStopped(pid) }, now }
}

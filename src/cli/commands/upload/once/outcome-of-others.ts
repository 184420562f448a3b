import { basename } from 'node:path'
import { FileHostError, UnknownOutcomeError } from '../../../../index.ts'
import { processState } from '../../../../system/process-identity.ts'
import { isAbort } from '../../../failures/exit-codes.ts'
import type { Holder, OpenEntry } from '../../../journal/journal-items.ts'
import type { Content } from '../../../journal/known-uploads.ts'
import type { Note, WaitForProcess } from '../../../output/messages.ts'
import type { Sending, UploadTools } from '../upload-tools.ts'
import { findPresent, type Present } from './known-content.ts'
import { stillUnknown, unconfirmed } from './resume.ts'
import type { UploadClaim } from './shared-claim.ts'

/** A file that cannot be read is reported when it is sent. */
export async function readable(hash: () => Promise<string>): Promise<string> {
  return await hash().catch((error) => {
    if (isAbort(error)) throw error
    return ''
  })
}

/** @throws UnknownOutcomeError if the service cannot be asked */
export async function findPresentUpload(
  name: string,
  content: Content,
  { label, grace }: Sending,
  tools: UploadTools,
): Promise<Present | undefined> {
  if (tools.comparison === undefined || content.sha256 === '') return undefined
  try {
    await deletionsOver(content, { label, grace }, tools)
    return await findPresent({ path: label, name, content }, tools, grace.signal)
  } catch (error) {
    throw error instanceof FileHostError ? unconfirmed(error) : error
  }
}

/** The list may be unreadable when it is asked for uploads of runs that have ended. */
export async function orUnconfirmed<T>(settling: Promise<T>): Promise<T> {
  try {
    return await settling
  } catch (error) {
    const isUntold = error instanceof FileHostError && !(error instanceof UnknownOutcomeError)
    throw isUntold ? unconfirmed(error) : error
  }
}

/** Settles each upload of another run once: where the journal does not keep the outcome, asking again tells nothing new. */
function settlingOnce(path: string | undefined, { reconciler }: UploadTools): (entry: OpenEntry) => Promise<void> {
  const settled = new Set<string>()
  return async (entry) => {
    if (settled.has(entry.intent.id)) throw stillUnknown()
    settled.add(entry.intent.id)
    await orUnconfirmed(reconciler.settle(entry, path))
  }
}

/** A run that ended meanwhile may have been sending this content before it had read it. */
async function foundUnread(size: number, { reconciler }: UploadTools): Promise<boolean> {
  return await orUnconfirmed(reconciler.settleUnread(size))
}

/** How long to wait before looking again whether another run has stored the same content. */
const LOOK_AGAIN_MS = 100
const WORTH_SAYING_MS = 1_000

/** Waits a moment for another run, and says so once it has taken long. */
function waitingFor(
  { label: path, grace }: Pick<Sending, 'label' | 'grace'>,
  { context: { clock, reporter } }: UploadTools,
  work: WaitForProcess['work'],
): (ms?: number, holder?: Holder) => Promise<void> {
  let waitedMs = 0
  let isSaid = false
  return async (ms = LOOK_AGAIN_MS, holder) => {
    if (waitedMs >= WORTH_SAYING_MS && !isSaid) {
      reporter.report({ type: 'note', note: waitNote(path, work, holder, clock.now()) })
      isSaid = true
    }
    waitedMs += ms
    await clock.sleep(ms, grace.signal)
  }
}

/** Names the process, or the other file of this run; a run of another machine has neither to name. */
function waitNote(path: string, work: WaitForProcess['work'], holder: Holder | undefined, now: number): Note {
  const isOurs = holder?.run.pid === process.pid
  const state = holder && !isOurs ? processState(holder.run.pid) : undefined
  if (holder === undefined || state?.type !== 'running') {
    return { type: 'waits-for-other', path, other: isOurs && holder.path ? basename(holder.path) : undefined }
  }
  const { pid, at: since } = holder.run
  return { type: 'waits-for-process', path, work, process: { pid, since, isStopped: state.isStopped === true }, now }
}

/** An upload that a run of this machine is deleting may still be shown by the service. */
async function deletionsOver(
  content: Content,
  sending: Pick<Sending, 'label' | 'grace'>,
  tools: UploadTools,
): Promise<void> {
  const wait = waitingFor(sending, tools, 'deletes')
  for (;;) {
    const deleter = tools.journal.deleter(content)
    if (deleter === undefined) return
    await wait(LOOK_AGAIN_MS, { run: deleter })
  }
}

/**
 * Waits for runs that claimed the same content first.
 * @returns their upload; undefined where this item is to be sent
 */
export async function outcomeOfOthers(
  name: string,
  claim: UploadClaim,
  known: Content,
  sending: Sending,
  tools: UploadTools,
): Promise<Present | undefined> {
  let content = known
  const wait = waitingFor(sending, tools, 'uploads')
  const settle = settlingOnce(sending.path, tools)
  for (;;) {
    const standing = await orUnconfirmed(Promise.resolve(claim.standing()))
    switch (standing.type) {
      case 'first':
        if (!(await foundUnread(content.size, tools))) return undefined
        break
      case 'needs-hash':
        content = { ...content, sha256: await readable(sending.hash) }
        if (content.sha256 === '') return undefined
        claim.hashed(content.sha256)
        break
      case 'stored': {
        const present = await findPresentUpload(name, content, sending, tools)
        if (present) return present
        break
      }
      case 'open':
        await settle(standing.entry)
        break
      case 'waits':
        await wait(standing.lookAgainMs, standing.holder)
        break
      case 'unknown':
        await tools.context.clock.sleep(standing.lookAgainMs, sending.grace.signal)
        break
    }
  }
}

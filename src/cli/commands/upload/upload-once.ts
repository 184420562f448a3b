import { stat } from 'node:fs/promises'
import { type Client, FileHostError, UnknownOutcomeError, type Upload, type UploadOptions } from '../../../index.ts'
import type { Lookalikes } from '../../../internal.ts'
import { isAbort } from '../../failures/exit-codes.ts'
import type { Claim, Journal } from '../../journal/journal.ts'
import type { OpenEntry } from '../../journal/journal-items.ts'
import type { Content } from '../../journal/known-uploads.ts'
import type { Reporter } from '../../output/events.ts'
import type { Context } from '../../run/context.ts'
import { createSentHash } from './content-hash.ts'
import type { GracefulUpload } from './graceful-upload.ts'
import { type Comparison, findPresent, type Present } from './known-content.ts'
import { outcomeByContent } from './lookalikes.ts'
import { type Reconciler, stillUnknown, unconfirmed } from './resume.ts'
import type { UploadLimits } from './stdin-file.ts'

export interface UploadTools {
  readonly client: Client
  readonly context: Context
  readonly journal: Journal
  /** What is known of the batch's contents; undefined to upload files again that the account has. */
  readonly comparison: Comparison | undefined
  readonly lookalikes: Lookalikes
  readonly reconciler: Reconciler
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

type Result =
  | { readonly type: 'sent'; readonly upload: Upload }
  | { readonly type: 'present'; readonly present: Present }

/** Sends a file unless the account has its content, or another run is sending it. */
export async function uploadOnce(name: string, sending: Sending, tools: UploadTools): Promise<Result> {
  const { comparison, journal } = tools
  const size = sending.bytes ?? (await stat(sending.path).catch(() => undefined))?.size ?? 0
  const needsHash = comparison?.needsHash(size) ?? false
  const content = {
    size,
    sha256: needsHash ? (comparison?.hashOf(sending.index) ?? (await readable(sending.hash))) : '',
  }
  const present = await presentUpload(name, content, sending, tools)
  if (present) return { type: 'present', present }
  const claim = journal.claim(name, content)
  try {
    const ours = comparison && (await outcomeOfOthers(name, claim, content, sending, tools))
    if (!ours) return { type: 'sent', upload: await send(claim, content, sending, tools) }
    claim.notStored()
    return { type: 'present', present: ours }
  } catch (error) {
    if (error instanceof UnknownOutcomeError) claim.unknown()
    else claim.notStored()
    throw error
  }
}

/** A file that cannot be read is reported when it is sent. */
async function readable(hash: () => Promise<string>): Promise<string> {
  return await hash().catch((error) => {
    if (isAbort(error)) throw error
    return ''
  })
}

async function presentUpload(name: string, content: Content, { path, grace }: Sending, tools: UploadTools) {
  if (tools.comparison === undefined || content.sha256 === '') return undefined
  try {
    return await findPresent({ path, name, content }, tools, grace.signal)
  } catch (error) {
    throw error instanceof FileHostError ? unconfirmed(error) : error
  }
}

/** The list may be unreadable when it is asked for uploads of runs that have ended. */
async function orUnconfirmed<T>(settling: Promise<T>): Promise<T> {
  try {
    return await settling
  } catch (error) {
    const isUntold = error instanceof FileHostError && !(error instanceof UnknownOutcomeError)
    throw isUntold ? unconfirmed(error) : error
  }
}

/** Settles each upload of another run once: where the journal does not keep the outcome, asking again tells nothing new. */
function settlingOnce(path: string, { reconciler }: UploadTools): (entry: OpenEntry) => Promise<void> {
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

/**
 * Waits for runs that claimed the same content first.
 * @returns their upload; undefined where this item is to be sent
 */
async function outcomeOfOthers(
  name: string,
  claim: Claim,
  claimed: Content,
  sending: Sending,
  tools: UploadTools,
): Promise<Present | undefined> {
  const { context } = tools
  let content = claimed
  let waitedMs = 0
  const settle = settlingOnce(sending.path, tools)
  for (;;) {
    const standing = claim.standing()
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
        const present = await presentUpload(name, content, sending, tools)
        if (present) return present
        break
      }
      case 'open':
        await settle(standing.entry)
        break
      case 'waits':
        if (waitedMs === WORTH_SAYING_MS) {
          context.reporter.report({ type: 'note', note: { type: 'waits-for-other', path: sending.path } })
        }
        waitedMs += LOOK_AGAIN_MS
        await context.clock.sleep(LOOK_AGAIN_MS, sending.grace.signal)
        break
    }
  }
}

type UploadWatch = Pick<UploadOptions, 'onEvent' | 'onProgress'>

/** Forwards events and progress to the reporter. */
function reporting(index: number, reporter: Reporter): UploadWatch {
  return {
    onEvent: (event) => reporter.report({ type: 'item-wire', index, event }),
    onProgress: ({ sent, total }) => reporter.report({ type: 'item-moved', index, bytes: sent, total }),
  }
}

/** Sends a file, and again where the bytes on the site prove that it is not stored. */
async function send(claim: Claim, content: Content, sending: Sending, tools: UploadTools): Promise<Upload> {
  for (let left = tools.retries; ; left -= 1) {
    const result = await sendOnce(claim, content, sending, tools)
    if (!(result instanceof UnknownOutcomeError)) {
      claim.done(result)
      return result
    }
    if (left === 0) throw result.cause
  }
}

/** @returns the upload, or the error of one that was then proven not stored */
async function sendOnce(
  claim: Claim,
  { sha256 }: Content,
  { path, index, grace }: Sending,
  { client, context, journal, limits, lookalikes }: UploadTools,
): Promise<Upload | UnknownOutcomeError> {
  const sent = createSentHash()
  try {
    const upload = await client.upload(path, {
      signal: grace.signal,
      onState: grace.onState,
      ...reporting(index, context.reporter),
      knownSlugs: journal.earlierSlugs,
      ...limits,
      onIntent(intent) {
        sent.restart()
        claim.intend(intent)
      },
      onBytes: sent.update,
    })
    claim.hashed(sent.digest())
    return upload
  } catch (error) {
    // The service never stores an incomplete body; a complete one may have been stored.
    const failure = isAbort(error) && grace.allSent() ? mayBeStored(error) : error
    if (!(failure instanceof UnknownOutcomeError)) throw failure
    if (sha256 === '') claim.hashed(sent.digest())
    const outcome = await outcomeByContent(failure, { path, sha256: sent.digest() }, lookalikes, grace.signal)
    if (outcome.type === 'ambiguous') throw failure
    return outcome.type === 'stored' ? outcome.upload : failure
  }
}

function mayBeStored(cause: unknown): UnknownOutcomeError {
  return new UnknownOutcomeError('Interrupted after the whole file was sent: it may have been stored', {
    hint: 'Run the same command again to find out',
    cause,
  })
}

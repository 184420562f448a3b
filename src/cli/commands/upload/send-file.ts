import { createHash } from 'node:crypto'
import { FileHostError, UnknownOutcomeError } from '../../../client/errors.ts'
import { shellWord } from '../../../environment/shell-word.ts'
import type { Client, Upload } from '../../../index.ts'
import type { UploadStore } from '../../../store/upload-store.ts'
import { statOf } from '../../../system/files.ts'
import { anySignal, isAbort } from '../../../system/signals.ts'
import { reasonOf } from '../../../system/system-errors.ts'
import { Claim, ClaimLostError, findPresentUpload, orUnconfirmed, readable } from '../../../uploads/claim.ts'
import { createHasher } from '../../../uploads/hash-file.ts'
import { type Comparison, type Present, storedPath } from '../../../uploads/known.ts'
import type { ListSearch } from '../../../uploads/list-search.ts'
import type { MatchResolver } from '../../../uploads/match-resolver.ts'
import type { Reconciler } from '../../../uploads/reconciler.ts'
import type { Context } from '../../context/context.ts'
import { createGracefulCall } from '../../context/interruption.ts'
import { hints } from '../../failures/hints.ts'
import { shownFile } from '../../format/format.ts'
import type { ItemRecord } from '../../output/events.ts'
import { failedRecord, subjectName } from '../../output/records.ts'
import type { Opener, OpenItem, UploadLimits } from './open-item.ts'
import type { UploadItem } from './upload-items.ts'

/** What all files of a batch share. */
export interface UploadTools {
  readonly client: Client
  readonly context: Context
  readonly store: UploadStore
  /** What is known of the batch's contents; undefined to upload files again that the account has. */
  readonly comparison: Comparison | undefined
  readonly matches: MatchResolver
  readonly reconciler: Reconciler
  readonly listSearch: ListSearch
  readonly limits: UploadLimits
  /** Opens what is not on the disk; undefined where all is. */
  readonly opener: Opener | undefined
  /** Whether the next run looks for what this one leaves open. */
  readonly isRemembered: boolean
}

/**
 * Uploads one item, or skips it if the account has its content. Undefined where it was stopped before anything was sent.
 * @param halted aborts when the batch stops early
 */
export async function uploadItem(
  item: UploadItem,
  index: number,
  halted: AbortSignal,
  tools: UploadTools,
): Promise<ItemRecord | undefined> {
  const { file, stream, problem, bytes, name } = item
  if (problem !== undefined) return failedRecord({ file }, problem)
  const { transfers, interruption } = tools.context
  const label = (stream === 'stdin' && name) || subjectName({ file })
  transfers.start(index, label, bytes)
  using grace = createGracefulCall(interruption, halted)
  const reading = new AbortController()
  try {
    await using opened = await tools.opener?.open(item, index, grace.signal)
    // Before what was opened is removed: Windows removes no open file.
    using _ = { [Symbol.dispose]: () => reading.abort() }
    const { path, remote, bytes: size, name: ownName } = opened ?? { path: file, bytes }
    const hasher = path === undefined ? async () => '' : (tools.comparison?.hasherOf(index) ?? createHasher(path))
    const hash = () => hasher(anySignal([grace.signal, reading.signal]))
    const sending = { index, label, grace, path, remote, bytes: size, hash }
    for (;;) {
      const once = await claimAndSend(storedPath(file, ownName), sending, tools).catch((error: unknown) => {
        if (error instanceof ClaimLostError) return undefined
        throw error
      })
      if (once !== undefined) return { subject: { file }, error: null, ...once }
    }
  } catch (error) {
    if (!isAbort(error)) return withAdvice(failedRecord({ file }, error, name), error, file, tools)
    return grace.nothingSent() ? undefined : failedRecord({ file }, error)
  }
}

/** Says what to do about a file of unknown outcome, where its error does not. */
function withAdvice(record: ItemRecord, error: unknown, file: string, tools: UploadTools): ItemRecord {
  const { error: failure } = record
  if (!(error instanceof UnknownOutcomeError) || failure === null) return record
  // An error of the library, which has the intent, knows no commands.
  if (error.intent === undefined && error.hint !== undefined) return record
  const again = tools.isRemembered
    ? hints.lookedForFirst(tools.comparison === undefined ? ' without --force' : '')
    : hints.lookFirst
  const [one, ...others] = error.candidates
  const [it, yours] = others.length === 0 ? ['it', 'it is'] : ['them', 'one is']
  const command = `fh upload --force ${shellWord(shownFile(file))}`
  const hint = one === undefined ? again : hints.open(it, yours, command)
  return { ...record, error: { ...failure, hint } }
}

/** What is being sent. */
interface Sending extends Pick<OpenItem, 'path' | 'remote' | 'bytes'> {
  /** Its place in the batch, from 0. */
  readonly index: number
  /** As messages name it. */
  readonly label: string
  readonly grace: ReturnType<typeof createGracefulCall>
  /** Of the file as it is now; empty for one on a site, which is sent as it comes. */
  hash(): Promise<string>
}

/**
 * Sends a file unless the account has its content, or another run is sending it.
 * @throws ClaimLostError if another runner may be sending it by now, and this one has sent at most a part
 */
async function claimAndSend(path: string, sending: Sending, tools: UploadTools) {
  const { comparison, reconciler } = tools
  const size = (await sizeOf(sending.path)) ?? sending.bytes ?? 0
  // The list does not tell apart several uploads that look alike.
  if (comparison) await orUnconfirmed(reconciler.released(size, sending.grace.signal))
  const needsHash = (await comparison?.needsHash(size)) ?? false
  const content = { size, sha256: needsHash ? await readable(sending.hash) : '' }
  const present = await findPresentUpload(path, content, sending, tools)
  if (present) return skipped(present)
  const claim = new Claim(path, content, sending, tools)
  try {
    const theirs = comparison && (await claim.outcomeOfOthers())
    if (!theirs) return { status: 'uploaded', upload: await send(claim, sending, tools) } as const
    await claim.end('not-stored')
    return skipped(theirs)
  } catch (error) {
    await claim.end(error instanceof UnknownOutcomeError ? 'unknown' : 'not-stored')
    throw error
  }
}

/** What the account had already, with nothing sent. */
function skipped({ upload, name, at }: Present) {
  return { status: 'skipped', upload, known: { name, at } } as const
}

/** As it is now: since the batch began, the file may have been changed. */
async function sizeOf(path: string | undefined): Promise<number | undefined> {
  return path === undefined ? undefined : (await statOf(path).catch(() => undefined))?.size
}

async function send(
  claim: Claim,
  { path, remote, index, grace }: Sending,
  { client, context, store, limits, matches }: UploadTools,
): Promise<Upload> {
  const { transfers } = context
  // Of what is sent, by the bytes themselves: the file is not read a second time.
  let sent = createHash('sha256')
  const digest = () => sent.copy().digest('hex')
  const taken = new Set<string>()
  try {
    const upload = await client.upload(remote ?? path ?? '', {
      signal: claim.signal,
      onState(state) {
        if (state === 'sent') claim.hashed(digest())
        grace.onState(state)
      },
      onEvent: (event) => transfers.event(index, event),
      onProgress: ({ sent, total }) => transfers.move(index, sent, total),
      // Its store learns of this upload too, so that only what it knew before is another file's.
      knownSlugs: context.settings().ledger === undefined ? [] : await store.latestSlugs(),
      ...limits,
      onIntent(intent) {
        sent = createHash('sha256')
        return claim.intend(intent)
      },
      onBytes(bytes) {
        claim.look()
        sent.update(bytes)
      },
      async tellApart(questions) {
        await claim.looking()
        const files = questions.map(({ intent: { size, mimeType }, candidates, fingerprint }) => ({
          id: claim.id,
          fingerprint,
          size,
          mimeType,
          sha256: digest(),
          outcome: { type: 'ambiguous', candidates } as const,
        }))
        const outcomes = await matches.resolve(files, grace.signal)
        const owners = await store.owners(questions.flatMap(({ candidates }) => candidates.map(({ slug }) => slug)))
        return outcomes.map((outcome, index) => {
          if (outcome.type === 'stored') return outcome
          const others = (questions[index]?.candidates ?? []).filter(
            ({ slug }) => !taken.has(slug) && owners.get(slug) === digest(),
          )
          for (const { slug } of others) taken.add(slug)
          // Another run has taken an upload of the same bytes. Both may have sent it: the list may show the second later.
          return others.length > 0 ? undefined : outcome
        })
      },
    })
    await claim.done(upload)
    return upload
  } catch (error) {
    // The service never stores an incomplete body. Of a complete one only the client's own errors tell what became of it.
    throw grace.allSent() && !(error instanceof FileHostError) ? mayBeStored(error) : error
  }
}

function mayBeStored(cause: unknown): UnknownOutcomeError {
  const why = isAbort(cause) || cause instanceof ClaimLostError ? 'interrupted' : reasonOf(cause)
  return new UnknownOutcomeError(`The whole file was sent, and may have been stored: ${why}`, { cause })
}

import { FileHostError, UnknownOutcomeError, type Upload, type UploadOptions } from '../../../index.ts'
import type { Content } from '../../../store/upload-store.ts'
import { statOf } from '../../../system/file-calls.ts'
import { isAbort } from '../../../system/signals.ts'
import { reasonOf } from '../../../system/system-errors.ts'
import { Claim, ClaimLostError } from '../../../uploads/claim.ts'
import type { Present } from '../../../uploads/known.ts'
import { findPresentUpload, orUnconfirmed, readable } from '../../../uploads/waiting.ts'
import { printable } from '../../format/format.ts'
import type { Reporter } from '../../output/events.ts'
import { createSentHash } from './sources/content-hash.ts'
import type { Sending, UploadTools } from './upload-tools.ts'

interface OnceResult {
  readonly upload: Upload
  /** What the account had already, with nothing sent. */
  readonly known?: Present
}

/** Sends a file unless the account has its content, or another run is sending it. */
export async function uploadOnce(path: string, sending: Sending, tools: UploadTools): Promise<OnceResult> {
  for (;;) {
    try {
      return await claimAndSend(path, sending, tools)
    } catch (error) {
      if (!(error instanceof ClaimLostError)) throw error
    }
  }
}

/** @throws ClaimLostError if another runner may be sending it by now, and this one has sent at most a part */
async function claimAndSend(path: string, sending: Sending, tools: UploadTools): Promise<OnceResult> {
  const { comparison, reconciler } = tools
  const size = (await sizeOf(sending.path)) ?? sending.bytes ?? 0
  // The list does not tell apart several uploads that look alike.
  if (comparison) await orUnconfirmed(reconciler.released(size, sending.grace.signal))
  const needsHash = (await comparison?.needsHash(size)) ?? false
  const content = { size, sha256: needsHash ? await readable(sending.hash) : '' }
  const present = await findPresentUpload(path, content, sending, tools)
  if (present) return { upload: present.upload, known: present }
  const claim = new Claim(path, content, sending, tools)
  try {
    const theirs = comparison && (await claim.outcomeOfOthers())
    if (!theirs) return { upload: await send(claim, sending, tools) }
    await claim.end('not-stored')
    return { upload: theirs.upload, known: theirs }
  } catch (error) {
    await claim.end(error instanceof UnknownOutcomeError ? 'unknown' : 'not-stored')
    throw error
  }
}

/** As it is now: since the batch began, the file may have been changed. */
async function sizeOf(path: string | undefined): Promise<number | undefined> {
  return path === undefined ? undefined : (await statOf(path).catch(() => undefined))?.size
}

type UploadWatch = Pick<UploadOptions, 'onEvent' | 'onProgress'>

function reporting(index: number, reporter: Reporter): UploadWatch {
  return {
    onEvent: (event) => reporter.report({ type: 'item-wire', index, event }),
    onProgress: ({ sent, total }) => reporter.report({ type: 'item-moved', index, bytes: sent, total }),
  }
}

async function send(
  claim: Claim,
  { path, remote, index, label, grace }: Sending,
  { client, context, store, comparison, limits, lookalikes, needsHashes, isShared }: UploadTools,
): Promise<Upload> {
  const sent = createSentHash(needsHashes)
  const taken = new Set<string>()
  try {
    const upload = await client.upload(remote ?? path ?? '', {
      signal: claim.signal,
      onState(state) {
        if (state === 'sent') claim.hashed(sent.digest())
        grace.onState(state)
      },
      ...reporting(index, context.reporter),
      // Its store learns of this upload too, so that only what it knew before is another file's.
      knownSlugs: isShared ? await store.latestSlugs() : [],
      ...limits,
      onIntent(intent) {
        sent.restart()
        return claim.intend(intent)
      },
      onBytes(bytes) {
        claim.look()
        sent.update(bytes)
      },
      async tellApart(questions) {
        await claim.looking()
        const files = questions.map(({ intent: { size, mimeType }, candidates, print }) => ({
          id: claim.id,
          print,
          size,
          mimeType,
          sha256: sent.digest(),
          outcome: { type: 'ambiguous', candidates } as const,
        }))
        const outcomes = await lookalikes.tellApart(files, grace.signal)
        const owners = await store.owners(questions.flatMap(({ candidates }) => candidates.map(({ slug }) => slug)))
        return outcomes.map((outcome, index) => {
          if (outcome.type === 'stored') return outcome
          const others = (questions[index]?.candidates ?? []).filter(
            ({ slug }) => !taken.has(slug) && owners.get(slug) === sent.digest(),
          )
          for (const { slug } of others) taken.add(slug)
          // Another run has taken an upload of the same bytes. Both may have sent it: the list may show the second later.
          return others.length > 0 ? undefined : outcome
        })
      },
    })
    await claim.done(upload)
    if (remote && comparison) {
      await tellTwin({ size: upload.size, sha256: sent.digest() }, upload, { context, store, label })
    }
    return upload
  } catch (error) {
    // The service never stores an incomplete body. Of a complete one only the client's own errors tell what became of it.
    throw grace.allSent() && !(error instanceof FileHostError) ? mayBeStored(error) : error
  }
}

/** A file on a site is hashed only while it is sent: the same content may have been stored meanwhile. */
async function tellTwin(
  content: Content,
  { slug }: Upload,
  { context, store, label }: Pick<UploadTools, 'context' | 'store'> & Pick<Sending, 'label'>,
): Promise<void> {
  const twin = (await store.known(content)).find((known) => known.slug !== slug)
  if (twin === undefined) return
  const twins = `${printable(slug)} has the same content as ${printable(twin.slug)}`
  context.note(`${printable(label)} may be there twice now: ${twins}`)
}

function mayBeStored(cause: unknown): UnknownOutcomeError {
  const isEnded = isAbort(cause) || cause instanceof ClaimLostError
  const why = isEnded
    ? 'Interrupted after the whole file was sent: it may have been stored'
    : `The whole file was sent, and may have been stored: ${reasonOf(cause)}`
  return new UnknownOutcomeError(why, { cause })
}

import type { Reconciliation, UnknownOutcomeError, Upload } from '../../../../index.ts'
import { createLookalikes, essence, type Lookalikes, type SentFile } from '../../../../internal.ts'
import type { Journal } from '../../../journal/journal.ts'
import type { Context } from '../../../run/context.ts'
import { openSiteAccess, type SiteAccess } from '../../../run/site-access.ts'
import type { SharedContents } from './shared-contents.ts'

/** The {@link Lookalikes} of a run; made once the list leaves an outcome open. */
export interface RunLookalikes extends Omit<Lookalikes, 'tellApart'>, AsyncDisposable {
  tellApart(files: readonly AskedFile[], signal: AbortSignal): Promise<readonly Reconciliation[]>
}

/** A file that was sent, and its size then; null if that is not known. */
export interface AskedFile extends SentFile {
  readonly size: number | null
}

/** An upload of another runner may be stored a moment before the fleet knows it. */
const TOLD_WITHIN_MS = 2_000

export function createRunLookalikes(journal: Journal, context: Context, shared?: SharedContents): RunLookalikes {
  let made: Promise<{ readonly access: SiteAccess; readonly lookalikes: Lookalikes }> | undefined

  async function make() {
    const access = await openSiteAccess(context)
    return { access, lookalikes: createLookalikes({ ...access, keeps: journal.keeps }) }
  }

  /** Without the uploads that the fleet knows to be of other contents. */
  async function unexplained(files: readonly AskedFile[]): Promise<readonly AskedFile[]> {
    if (shared === undefined) return files
    const owners = await shared.owners(files.flatMap(({ outcome }) => candidatesOf(outcome)))
    return files.map((file) => {
      const keeps = journal.keeps(file.mimeType)
      const listed = candidatesOf(file.outcome)
      const candidates = listed.filter((upload) => {
        const isOther = (owners.get(upload.slug) ?? file.sha256) !== file.sha256
        return !isOther && (!keeps || isAlike(upload, file))
      })
      if (candidates.length === listed.length) return file
      return { ...file, outcome: candidates.length > 0 ? { type: 'ambiguous', candidates } : { type: 'not-stored' } }
    })
  }

  async function tellApart(files: readonly AskedFile[], signal: AbortSignal): Promise<readonly Reconciliation[]> {
    const left = await unexplained(files)
    if (!left.some(isOpen)) return left.map(({ outcome }) => outcome)
    made ??= make()
    return await (await made).lookalikes.tellApart(left, signal)
  }

  return {
    async tellApart(files, signal) {
      const outcomes = await tellApart(files, signal)
      if (shared === undefined || !outcomes.some((outcome) => isOpen({ outcome }))) return outcomes
      await context.clock.sleep(TOLD_WITHIN_MS, signal)
      return await tellApart(
        files.map((file, index) => ({ ...file, outcome: outcomes[index] ?? file.outcome })),
        signal,
      )
    },
    async compare(path, sha256, uploads, signal) {
      if (uploads.length === 0) return []
      made ??= make()
      return await (await made).lookalikes.compare(path, sha256, uploads, signal)
    },
    async [Symbol.asyncDispose]() {
      const { access } = (await made) ?? {}
      await access?.transport.close?.()
    },
  }
}

function candidatesOf(outcome: Reconciliation): readonly Upload[] {
  return outcome.type === 'ambiguous' ? outcome.candidates : []
}

function isAlike({ size, mime_type }: Upload, file: AskedFile): boolean {
  return size === file.size && essence(mime_type) === essence(file.mimeType)
}

function isOpen({ outcome }: Pick<SentFile, 'outcome'>): boolean {
  return outcome.type === 'ambiguous'
}

/** A file of this run that may have been stored. */
export interface UnknownFile {
  /** Undefined if it was sent as it came from a site. */
  readonly path: string | undefined
  /** Of the bytes that were sent. */
  readonly sha256: string
}

/** Compares the file of an unknown outcome with the uploads that the list showed. */
export async function outcomeByContent(
  { candidates, intent, status = 0 }: UnknownOutcomeError,
  file: UnknownFile,
  lookalikes: Pick<RunLookalikes, 'tellApart'>,
  signal: AbortSignal,
): Promise<Reconciliation> {
  const outcome = { type: 'ambiguous', candidates } as const
  if (candidates.length === 0 || intent === undefined) return outcome
  try {
    const [result] = await lookalikes.tellApart(
      [{ ...file, mimeType: intent.mimeType, size: intent.size, outcome }],
      signal,
    )
    // What was answered with a success is stored, or the other side is not the service: it is never sent again.
    const isSuccess = status >= 200 && status < 300
    return result === undefined || (isSuccess && result.type === 'not-stored') ? outcome : result
  } catch {
    // An abort, above all: what was not compared stays unknown.
    return outcome
  }
}

import {
  ByteComparison,
  candidatesOf,
  decideByBytes,
  type SentFile,
  type SiteAccess,
} from '../client/exactly-once/compare-bytes.ts'
import type { Reconciliation, Upload } from '../index.ts'
import { essence } from '../protocol/media-types.ts'
import type { Underway } from '../store/upload-store.ts'
import type { UploadRun } from './upload-run.ts'

/** A file that was sent. */
export interface FileToMatch extends SentFile {
  /** In the store. */
  readonly id: string
  /** In bytes, when it was sent; null if that is not known. */
  readonly size: number | null
  /** Of the bytes that were sent, in hex; empty if that is not known. */
  readonly sha256: string
  /** Whether the hash is that of the file as it is now, and the store does not have it. */
  readonly isGuess?: boolean
}

/** How soon another run may know what became of its upload. */
const LOOK_AGAIN_MS = 250
/** A run that has been stopped for so long leaves the outcome unknown. */
const LONGEST_WAIT_MS = 60_000

/** Tells uploads apart that the list leaves open, by their bytes on the site, and takes those that are this run's. */
export class MatchResolver {
  readonly #run: Pick<UploadRun, 'store' | 'context'>
  readonly #openSite: () => Promise<SiteAccess>
  /** Types that the service stores as they are sent, of those that were asked about. */
  readonly #kept = new Set<string>()
  #opened: Promise<{ readonly access: SiteAccess; readonly comparison: ByteComparison }> | undefined

  /** @param openSite gives access to the site, once it is needed; its transport is closed here */
  constructor(run: Pick<UploadRun, 'store' | 'context'>, openSite: () => Promise<SiteAccess>) {
    this.#run = run
    this.#openSite = openSite
  }

  /**
   * An upload that another run at work may have sent is left to that run.
   * @param isPatient whether to wait until that run knows what became of it; else the outcome stays open
   */
  async resolve(
    all: readonly FileToMatch[],
    signal: AbortSignal,
    isPatient = true,
  ): Promise<readonly Reconciliation[]> {
    /** Uploads that were taken while others still had to be looked at again. */
    const taken = new Map<string, Reconciliation>()
    for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
      const files = all.map((file) => ({ ...file, outcome: taken.get(file.id) ?? file.outcome }))
      const left = await this.#unexplained(files)
      if (left.every(({ outcome }) => outcome.type !== 'ambiguous')) return left.map(({ outcome }) => outcome)
      const { comparison } = await this.#site()
      const mayWait = isPatient && waitedMs < LONGEST_WAIT_MS
      const compared = decideByBytes(await comparison.compareAll(left, signal), {
        keeps: (mimeType) => this.#kept.has(mimeType),
      })
      const outcomes = await this.#conclude(left, compared, { taken, mayWait })
      if (outcomes) return outcomes
      await this.#run.context.clock.sleep(LOOK_AGAIN_MS, signal)
    }
  }

  /** Compares a file with uploads of any type. */
  async compare(
    ...[fingerprint, uploads, signal]: Parameters<ByteComparison['compare']>
  ): ReturnType<ByteComparison['compare']> {
    if (uploads.length === 0) return []
    return await (await this.#site()).comparison.compare(fingerprint, uploads, signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Who asked was told that it could not be opened.
    const opened = await this.#opened?.catch(() => undefined)
    await opened?.access.transport.close?.()
  }

  async #site() {
    const open = async () => {
      const access = await this.#openSite()
      return { access, comparison: new ByteComparison(access) }
    }
    this.#opened ??= open()
    return this.#opened
  }

  /** Without the uploads that are known to be others. */
  async #unexplained(files: readonly FileToMatch[]): Promise<readonly FileToMatch[]> {
    const { store } = this.#run
    const candidates = files.flatMap(({ outcome }) => candidatesOf(outcome))
    const owners = await store.owners(candidates.map(({ slug }) => slug))
    for (const { mimeType } of files) {
      if (await store.keeps(mimeType)) this.#kept.add(mimeType)
      else this.#kept.delete(mimeType)
    }
    return files.map((file) => {
      const listed = candidatesOf(file.outcome)
      const keeps = this.#kept.has(file.mimeType)
      const left = listed.filter((upload) => {
        return !owners.has(upload.slug) && (!keeps || isAlike(upload, file))
      })
      if (left.length === listed.length) return file
      return { ...file, outcome: left.length > 0 ? { type: 'ambiguous', candidates: left } : { type: 'not-stored' } }
    })
  }

  /** @returns undefined where nothing may be concluded yet */
  async #conclude(
    files: readonly FileToMatch[],
    outcomes: readonly Reconciliation[],
    { taken, mayWait }: { readonly taken: Map<string, Reconciliation>; readonly mayWait: boolean },
  ): Promise<readonly Reconciliation[] | undefined> {
    const { store } = this.#run
    // While bytes were compared, another run may have got to know whose an upload is.
    const now = await this.#unexplained(files)
    if (files.some(({ outcome }, index) => hasChanged(outcome, now[index]?.outcome))) return undefined
    const asked = new Set(files.map(({ id }) => id))
    const underway = await store.underway()
    const waits = files.map((file, index) => isLeftToOthers(file, outcomes[index] ?? file.outcome, underway, asked))
    if (waits.includes(true) && mayWait) return undefined
    const concluded = outcomes.map((outcome, index) => (waits[index] ? leftOpen(outcome) : outcome))
    for (const [index, outcome] of concluded.entries()) {
      const file = files[index]
      if (outcome.type !== 'stored' || file === undefined || taken.has(file.id)) continue
      if (file.isGuess) await store.hashed(file.id, file.sha256)
      if (!(await store.found(file.id, outcome.upload))) return undefined
      taken.set(file.id, outcome)
    }
    return concluded
  }
}

/**
 * Whether nothing may be concluded yet, because other uploads are under way. An upload in the list with a file's bytes may
 * be that of another run that sent the same bytes: of two that both look for it, the first in the store takes it. One
 * that could not be compared may be any upload that looks like it.
 *
 * @param all uploads under way, in the order of their claims
 * @param asked ids of the uploads that are asked about
 */
export function isLeftToOthers(
  file: Pick<FileToMatch, 'id' | 'sha256'>,
  outcome: Reconciliation,
  all: readonly Underway[],
  asked: ReadonlySet<string>,
): boolean {
  const own = all.findIndex(({ id }) => id === file.id)
  return all.some((other, index) => {
    // What is not all sent cannot be stored.
    if (asked.has(other.id) || other.sha256 === '') return false
    if (outcome.type === 'stored') return other.sha256 === file.sha256 && !(other.isLooking && index > own)
    return candidatesOf(outcome).some((upload) => isAlike(upload, other))
  })
}

function isAlike({ size, mime_type }: Upload, file: Pick<FileToMatch, 'size' | 'mimeType'>): boolean {
  return size === file.size && essence(mime_type) === essence(file.mimeType)
}

/** Whether there are fewer candidates than there were, or none any more. */
function hasChanged(before: Reconciliation, now: Reconciliation | undefined): boolean {
  return before.type !== now?.type || candidatesOf(before).length !== candidatesOf(now).length
}

/** The same candidates, of which none is proven. */
function leftOpen(outcome: Reconciliation): Reconciliation {
  return outcome.type === 'stored' ? { type: 'ambiguous', candidates: [outcome.upload] } : outcome
}

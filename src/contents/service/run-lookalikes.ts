import type { Reconciliation, Upload } from '../../index.ts'
import {
  candidatesOf,
  createLookalikes,
  essence,
  type LookalikeOptions,
  type Lookalikes,
  type SentFile,
} from '../../internal.ts'
import type { SharedContents } from '../fleet/shared-contents.ts'
import type { Journal } from '../journal.ts'
import type { Underway } from '../journal-items.ts'
import type { RunOfContents } from '../run-of-contents.ts'

/** A file that was sent. */
export interface AskedFile extends SentFile {
  /** In the journal. */
  readonly id: string
  /** In bytes, when it was sent; null if that is not known. */
  readonly size: number | null
  /** Of the bytes that were sent, in hex; empty if that is not known. */
  readonly sha256: string
  /** Whether a run that has ended left it open: then others may look for it too. Of its own upload a run knows most. */
  readonly isLeft?: boolean
}

/** An upload of another runner may be stored a moment before the fleet knows it. */
const TOLD_WITHIN_MS = 2_000
/** How soon another run may know what became of its upload. */
const LOOK_AGAIN_MS = 250
/** A run that has been stopped for so long leaves the outcome unknown. */
const LONGEST_WAIT_MS = 60_000

type SiteAccess = Omit<LookalikeOptions, 'keeps'>

/**
 * The {@link Lookalikes} of a run; made once the list leaves an outcome open.
 * @param openSite gives access to the site, whose transport is closed here
 */
export function createRunLookalikes(
  journal: Journal,
  { clock }: RunOfContents['context'],
  openSite: () => Promise<SiteAccess>,
  shared?: SharedContents,
) {
  let made: Promise<{ readonly access: SiteAccess; readonly lookalikes: Lookalikes }> | undefined

  async function make() {
    const access = await openSite()
    return { access, lookalikes: createLookalikes({ ...access, keeps: journal.keeps }) }
  }

  /** Without the uploads that this machine or the fleet knows to be others; what another run has found out counts. */
  function unexplained(
    files: readonly AskedFile[],
    { slugs, outcomeOf }: ReturnType<Journal['latest']>,
    owners: ReadonlyMap<string, string> | undefined,
  ): readonly AskedFile[] {
    const known = new Set(slugs)
    return files.map((file) => {
      const told = file.isLeft ? outcomeOf(file.id) : undefined
      if (told) return { ...file, outcome: told }
      const keeps = journal.keeps(file.mimeType)
      const listed = candidatesOf(file.outcome)
      const candidates = listed.filter((upload) => {
        const owner = owners?.get(upload.slug)
        const isOther = owner === undefined ? known.has(upload.slug) : owner !== file.sha256
        return !isOther && (!keeps || isAlike(upload, file))
      })
      if (candidates.length === listed.length) return file
      return { ...file, outcome: candidates.length > 0 ? { type: 'ambiguous', candidates } : { type: 'not-stored' } }
    })
  }

  async function tellApart(
    files: readonly AskedFile[],
    signal: AbortSignal,
    isPatient: boolean,
  ): Promise<readonly Reconciliation[]> {
    for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
      const owners = await shared?.owners(files.flatMap(({ outcome }) => candidatesOf(outcome)))
      const left = unexplained(files, journal.latest(), owners)
      if (!left.some(isOpen)) return left.map(({ outcome }) => outcome)
      made ??= make()
      const { lookalikes } = await made
      const conclude = (outcomes: readonly Reconciliation[]) => {
        const latest = journal.latest()
        // While bytes were compared, another run may have got to know what became of an upload, or whose one is.
        const now = unexplained(files, latest, owners)
        if (left.some(({ outcome }, index) => hasChanged(outcome, now[index]?.outcome))) return undefined
        const asked = new Set(left.map(({ id }) => id))
        const waits = left.map((file, index) =>
          isLeftToOthers(file, outcomes[index] ?? file.outcome, latest.underway, asked),
        )
        if (!waits.includes(true)) return outcomes
        if (isPatient && waitedMs < LONGEST_WAIT_MS) return undefined
        return outcomes.map((outcome, index) => (waits[index] ? leftOpen(outcome) : outcome))
      }
      const outcomes = await lookalikes.tellApart(left, signal, conclude)
      if (outcomes) return outcomes
      await clock.sleep(LOOK_AGAIN_MS, signal)
    }
  }

  return {
    /**
     * An upload that another run at work may have sent is left to that run.
     * @param isPatient whether to wait until that run knows what became of it; else the outcome stays open
     */
    async tellApart(files: readonly AskedFile[], signal: AbortSignal, isPatient = true) {
      const outcomes = await tellApart(files, signal, isPatient)
      if (shared === undefined || !outcomes.some((outcome) => isOpen({ outcome }))) return outcomes
      await clock.sleep(TOLD_WITHIN_MS, signal)
      const again = files.map((file, index) => ({ ...file, outcome: outcomes[index] ?? file.outcome }))
      return await tellApart(again, signal, isPatient)
    },
    async compare(...[print, uploads, signal]: Parameters<Lookalikes['compare']>) {
      if (uploads.length === 0) return []
      made ??= make()
      return await (await made).lookalikes.compare(print, uploads, signal)
    },
    async [Symbol.asyncDispose]() {
      // Who asked was told that it could not be opened.
      const { access } = (await made?.catch(() => undefined)) ?? {}
      await access?.transport.close?.()
    },
  }
}

export type RunLookalikes = ReturnType<typeof createRunLookalikes>

/**
 * Whether nothing may be concluded yet, because other uploads are under way. An upload in the list with a file's bytes may
 * be that of another run that sent the same bytes: of two that both look for it, the first in the journal takes it. One
 * that could not be compared may be any upload that looks like it.
 *
 * @param all uploads under way, in the journal's order
 * @param asked ids of the uploads that are asked about
 */
export function isLeftToOthers(
  file: Pick<AskedFile, 'id' | 'sha256'>,
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

function isAlike({ size, mime_type }: Upload, file: Pick<AskedFile, 'size' | 'mimeType'>): boolean {
  return size === file.size && essence(mime_type) === essence(file.mimeType)
}

function isOpen({ outcome }: Pick<SentFile, 'outcome'>): boolean {
  return outcome.type === 'ambiguous'
}

/** Whether there are fewer candidates than there were, or none any more. */
function hasChanged(before: Reconciliation, now: Reconciliation | undefined): boolean {
  return before.type !== now?.type || candidatesOf(before).length !== candidatesOf(now).length
}

/** The same candidates, of which none is proven. */
function leftOpen(outcome: Reconciliation): Reconciliation {
  return outcome.type === 'stored' ? { type: 'ambiguous', candidates: [outcome.upload] } : outcome
}

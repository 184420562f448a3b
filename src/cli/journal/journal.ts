import { randomBytes } from 'node:crypto'
import { steadyClock } from '../../clock.ts'
import type { Clock, Reconciliation, Upload, UploadIntent } from '../../index.ts'
import { accountHash } from '../../system/account-hash.ts'
import { isGone, thisProcess } from '../../system/process-identity.ts'
import { reasonOf } from '../../system/system-errors.ts'
import type { Credentials } from '../config/connection.ts'
import { type JournalFact, parseLines, toLine } from './journal-facts.ts'
import type { JournalFile } from './journal-file.ts'
import { createJournalFold, type DoneEntry, type IsLive, type JournalFold, type OpenEntry } from './journal-fold.ts'

/** What a run records about one item. */
export interface JournalItem {
  /** Call before the first byte of each attempt is sent. */
  intend(intent: UploadIntent, sha256: string): void
  hashed(sha256: string): void
  done(upload: Upload): void
  /** The item failed; writes nothing if no attempt was recorded. */
  notStored(): void
  unknown(): void
}

/** The uploads of this run and of earlier ones of the account, so that a later run can continue one that ended early. */
export interface Journal {
  /** Uploads that were under way when their runs ended. */
  unsettled(): readonly OpenEntry[]
  /** The intent to pass to `client.reconcile`. */
  intentOf(entry: OpenEntry): UploadIntent
  settle(entry: OpenEntry, reconciliation: Reconciliation): void
  /** Uploads made before this run. */
  readonly earlierSlugs: readonly string[]
  /** Uploads of a path that incomplete earlier runs have stored. */
  stored(path: string): readonly DoneEntry[]
  /**
   * Makes this run responsible for an upload.
   * @returns false if another file or run has taken it already
   */
  take(entry: DoneEntry): boolean
  /** Forgets what earlier runs stored or left open for a path. */
  drop(path: string): void
  item(path: string): JournalItem
  /** @param complete whether nothing is left to do: then no later run skips these uploads */
  end(complete: boolean): void
  /** These uploads are deleted, so no run may skip them. */
  forget(slugs: readonly string[]): void
}

export interface JournalOptions {
  readonly credentials: Credentials
  readonly clock: Clock
  /** Undefined for a journal in memory. */
  readonly file: JournalFile | undefined
  /** Reads without writing. */
  readonly readOnly?: boolean
  /** Called once, when the journal can no longer be written. */
  readonly onProblem: (reason: string) => void
}

/** Older uploads are not skipped, because they may have been deleted on the website since. */
const KEPT_MS = 30 * 86_400_000
/** A journal of fewer characters is not worth rewriting. */
const SHORTEN_FROM = 65_536

export function createJournal({ credentials, clock, file, readOnly, onProblem }: JournalOptions): Journal {
  const account = { base_url: credentials.baseUrl, key_hash: accountHash(credentials.baseUrl, credentials.apiKey) }
  const me = thisProcess()
  /** The same steady clock as the client's, so that times can be compared. */
  const steady = steadyClock(clock)
  const run = randomBytes(8).toString('hex')
  const mayBeLive: IsLive = (other, lastAt) => !isGone(other, clock.now() - lastAt, me)
  // A process of another machine or container cannot be checked. A restarted container may have replaced it, so its
  // uploads count as stored rather than being sent again.
  const isLive: IsLive = (other, lastAt) =>
    other.host === me.host && other.boot === me.boot && other.space === me.space && mayBeLive(other, lastAt)
  const fold = createJournalFold()
  let target = readOnly ? undefined : file
  let begun = false
  let items = 0

  const lines = file?.lines() ?? []
  parseLines(lines).forEach(fold.apply)
  if (target) shorten(target, lines, (fresh) => fresh.retained(clock.now() - KEPT_MS, mayBeLive))

  function isRecent({ at }: { readonly at: number }): boolean {
    return at >= clock.now() - KEPT_MS
  }

  function write(fact: JournalFact): void {
    fold.apply(fact)
    const to = target
    try {
      to?.append(toLine(fact))
    } catch (error) {
      target = undefined
      onProblem(reasonOf(error))
    }
  }

  function begin(): void {
    if (begun) return
    begun = true
    write({ type: 'run', run, ...me, at: clock.now() })
  }

  function item(path: string): JournalItem {
    items += 1
    const id = `${run}-${items}`
    let intended = false
    const close = (fact: JournalFact) => {
      if (intended) write(fact)
    }
    return {
      intend({ size, mimeType, startedAt, monotonic, serviceStartedAt }, sha256) {
        begin()
        intended = true
        write({
          type: 'intent',
          id,
          run,
          ...account,
          path,
          size: size ?? 0,
          sha256,
          mime_type: mimeType,
          at: startedAt,
          ...(monotonic !== undefined && { monotonic }),
          ...(serviceStartedAt && { service_from: serviceStartedAt.from, service_to: serviceStartedAt.to }),
        })
      },
      hashed: (sha256) => close({ type: 'hashed', id, sha256 }),
      done: (upload) => close({ type: 'done', id, upload }),
      notStored: () => close({ type: 'not-stored', id }),
      unknown: () => close({ type: 'unknown', id, at: steady.now() }),
    }
  }

  return {
    earlierSlugs: fold.slugs(account),
    unsettled: () => fold.open(account, isLive).filter(({ intent }) => isRecent(intent)),
    intentOf: ({ intent: { size, mime_type, at, monotonic, service_from, service_to }, endedAt }) => ({
      size,
      mimeType: mime_type,
      startedAt: at,
      endedAt,
      ...(monotonic !== undefined && { monotonic }),
      ...(service_from !== undefined &&
        service_to !== undefined && { serviceStartedAt: { from: service_from, to: service_to } }),
      knownSlugs: fold.slugs(account),
    }),
    settle({ intent: { id } }, reconciliation) {
      if (reconciliation.type === 'stored') write({ type: 'done', id, upload: reconciliation.upload })
      if (reconciliation.type === 'not-stored') write({ type: 'not-stored', id })
    },
    stored: (path) => fold.stored(account, path, isLive).filter(({ intent }) => isRecent(intent)),
    take({ intent: { id, path } }) {
      if (!fold.stored(account, path, isLive).some(({ intent }) => intent.id === id)) return false
      begin()
      write({ type: 'taken', id, run })
      return true
    },
    drop(path) {
      const stored = fold.stored(account, path, isLive)
      const open = fold.open(account, isLive).filter(({ intent }) => intent.path === path)
      for (const { intent } of [...stored, ...open]) write({ type: 'dropped', id: intent.id })
    },
    item,
    end(complete) {
      if (begun) write({ type: 'end', run, complete })
    },
    forget(slugs) {
      const known = fold.slugs(account)
      for (const slug of slugs) if (known.includes(slug)) write({ type: 'forgotten', ...account, slug })
    },
  }
}

/** Rewrites a long journal without the facts that no longer matter, if that halves it. */
function shorten(
  file: JournalFile,
  lines: readonly string[],
  retained: (fold: JournalFold) => readonly JournalFact[],
): void {
  if (lengthOf(lines) < SHORTEN_FROM) return
  const remaining = (before: readonly string[]) => {
    const fold = createJournalFold()
    parseLines(before).forEach(fold.apply)
    return retained(fold).map(toLine)
  }
  if (lengthOf(remaining(lines)) > lengthOf(lines) / 2) return
  try {
    file.rewrite(remaining)
  } catch {
    // A long journal works as well as a short one.
  }
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0)
}

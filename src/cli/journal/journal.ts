import { createHash, randomBytes } from 'node:crypto'
import { steadyClock } from '../../clock.ts'
import type { Clock, Reconciliation, Upload, UploadIntent } from '../../index.ts'
import { thisProcess } from '../../system/process-identity.ts'
import { reasonOf } from '../../system/system-errors.ts'
import type { Credentials } from '../config/connection.ts'
import { shortenJournal } from './journal-compaction.ts'
import { type JournalFact, parseLines, toLine } from './journal-facts.ts'
import type { JournalFile } from './journal-file.ts'
import { type Account, createJournalBook, type DoneEntry, type IsLive, type OpenEntry } from './journal-fold.ts'
import { createRunLife } from './run-life.ts'

/** What one run writes down of one item. */
export interface JournalItem {
  /** Before the first byte of each attempt may leave. */
  intend(intent: UploadIntent, sha256: string): void
  hashed(sha256: string): void
  done(upload: Upload): void
  /** It failed; where nothing was intended there is nothing to write. */
  notStored(): void
  unknown(): void
}

/** What earlier runs of this account left, and what this one does: kept so that a run that ended early can be gone on with. */
export interface Journal {
  /** Uploads of earlier runs that were in flight when those ended. */
  unsettled(): readonly OpenEntry[]
  /** As the client needs it to find out what became of one. */
  intentOf(entry: OpenEntry): UploadIntent
  settle(entry: OpenEntry, settlement: Reconciliation): void
  /** Uploads that were made before this run, so that they are no files of its own. */
  readonly earlierSlugs: readonly string[]
  /** What an earlier run that is not complete has stored of a path. */
  stored(path: string): readonly DoneEntry[]
  /**
   * From here on this run answers for it.
   * @returns whether it was still to be had: one upload stands for one file only
   */
  take(entry: DoneEntry): boolean
  /** Earlier runs' uploads of a path count no more. */
  drop(path: string): void
  item(path: string): JournalItem
  /** @param complete whether nothing is left to do; then nothing of it is ever skipped */
  end(complete: boolean): void
  /** What is deleted is not skipped. */
  forget(slugs: readonly string[]): void
}

export interface JournalOptions {
  readonly credentials: Credentials
  readonly clock: Clock
  /** Undefined keeps it in memory. */
  readonly file: JournalFile | undefined
  /** Looks, but writes nothing. */
  readonly readOnly?: boolean
  /** Told once, when nothing more can be written. */
  readonly onProblem: (reason: string) => void
}

/** What is older is not skipped any more: by then the file may have been deleted on the website. */
const KEPT_MS = 30 * 86_400_000
export function createJournal({ credentials, clock, file, readOnly, onProblem }: JournalOptions): Journal {
  const account = accountOf(credentials)
  const me = thisProcess()
  /** As the client counts the times of its intents. */
  const steady = steadyClock(clock)
  const run = randomBytes(8).toString('hex')
  const life = createRunLife(me)
  const isLive: IsLive = (other, lastAt) => life.isLive(other, clock.now() - lastAt)
  const mayBeLive: IsLive = (other, lastAt) => life.mayBeLive(other, clock.now() - lastAt)
  const book = createJournalBook()
  let target = readOnly ? undefined : file
  let begun = false
  let items = 0

  const text = file?.read() ?? ''
  parseLines(text).forEach(book.apply)
  if (target) shortenJournal(target, text, (fresh) => fresh.retained(clock.now() - KEPT_MS, mayBeLive))

  function isRecent({ at }: { readonly at: number }): boolean {
    return at >= clock.now() - KEPT_MS
  }

  function write(fact: JournalFact): void {
    book.apply(fact)
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
    earlierSlugs: book.slugs(account),
    unsettled: () => book.open(account, isLive).filter(({ intent }) => isRecent(intent)),
    intentOf: ({ intent: { size, mime_type, at, monotonic, service_from, service_to }, endedAt }) => ({
      size,
      mimeType: mime_type,
      startedAt: at,
      endedAt,
      ...(monotonic !== undefined && { monotonic }),
      ...(service_from !== undefined &&
        service_to !== undefined && { serviceStartedAt: { from: service_from, to: service_to } }),
      knownSlugs: book.slugs(account),
    }),
    settle({ intent: { id } }, settlement) {
      if (settlement.type === 'stored') write({ type: 'done', id, upload: settlement.upload })
      if (settlement.type === 'not-stored') write({ type: 'not-stored', id })
    },
    stored: (path) => book.stored(account, path, isLive).filter(({ intent }) => isRecent(intent)),
    take({ intent: { id, path } }) {
      if (!book.stored(account, path, isLive).some(({ intent }) => intent.id === id)) return false
      begin()
      write({ type: 'taken', id, run })
      return true
    },
    drop(path) {
      const stored = book.stored(account, path, isLive)
      const open = book.open(account, isLive).filter(({ intent }) => intent.path === path)
      for (const { intent } of [...stored, ...open]) write({ type: 'dropped', id: intent.id })
    },
    item,
    end(complete) {
      if (begun) write({ type: 'end', run, complete })
    },
    forget(slugs) {
      const known = book.slugs(account)
      for (const slug of slugs) if (known.includes(slug)) write({ type: 'forgotten', ...account, slug })
    },
  }
}

function accountOf({ baseUrl, apiKey }: Credentials): Account {
  const hash = createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('hex')
  return { base_url: baseUrl, key_hash: hash.slice(0, 16) }
}

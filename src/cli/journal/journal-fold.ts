import type { Upload } from '../../index.ts'
import { unreachable } from '../failures/cli-error.ts'
import type { IntentFact, JournalFact, RunFact } from './journal-facts.ts'

/** One key of one service. */
export interface Account {
  readonly base_url: string
  readonly key_hash: string
}

/** A stored upload, and the run that is responsible for it. */
export interface DoneEntry {
  readonly intent: IntentFact
  readonly run: string
  readonly upload: Upload
}

/** An upload whose outcome is unknown. */
export interface OpenEntry {
  readonly intent: IntentFact
  /** Epoch milliseconds at which its run gave up; null if the run ended before that. */
  readonly endedAt: number | null
}

/** Whether the process of a run is still at work, given its last sign of life in epoch milliseconds. */
export type IsLive = (run: RunFact, lastAt: number) => boolean

/** The fold of the journal's facts. Pure: knows no file, process or time. */
export interface JournalFold {
  apply(fact: JournalFact): void
  /** Uploads of runs that have ended, without an outcome. */
  open(account: Account, isLive: IsLive): readonly OpenEntry[]
  /** Stored uploads of a file by runs that are unfinished or partly failed; the oldest first. */
  stored(account: Account, path: string, isLive: IsLive): readonly DoneEntry[]
  /** Every upload that the journal has ever recorded. */
  slugs(account: Account): readonly string[]
  /**
   * The facts that still matter, for a shorter journal; facts before `since` matter only to running runs.
   * @param mayBeLive true for a run that is not proven to have ended
   */
  retained(since: number, mayBeLive: IsLive): readonly JournalFact[]
}

export function createJournalFold(): JournalFold {
  const runs = new Map<string, RunFact>()
  const ends = new Map<string, boolean>()
  const lastAts = new Map<string, number>()
  const open = new Map<string, OpenEntry>()
  /** Recorded as not stored, perhaps by a run that could not see them still being sent. */
  const refuted = new Map<string, IntentFact>()
  const done = new Map<string, DoneEntry>()
  /** The ids of all uploads ever done, by path: a run asks for each of its files, and both may be many. */
  const doneOf = new Map<string, Set<string>>()
  const known: { readonly account: Account; readonly slug: string }[] = []

  /** A run without a `run` fact, or with an `end`, is over. */
  function works(id: string, isLive: IsLive): boolean {
    const run = runs.get(id)
    return run !== undefined && !ends.has(id) && isLive(run, lastAts.get(id) ?? run.at)
  }

  function intend(intent: IntentFact): void {
    lastAts.set(intent.run, Math.max(lastAts.get(intent.run) ?? 0, intent.at))
    // A rewrite may repeat a line: what is done or over stays so.
    if (!done.has(intent.id) && ends.get(intent.run) !== true) open.set(intent.id, { intent, endedAt: null })
  }

  function hashed(id: string, sha256: string): void {
    const [pending, stored] = [open.get(id), done.get(id)]
    if (pending) open.set(id, { ...pending, intent: { ...pending.intent, sha256 } })
    if (stored) done.set(id, { ...stored, intent: { ...stored.intent, sha256 } })
  }

  function store(id: string, upload: Upload): void {
    const intent = open.get(id)?.intent ?? refuted.get(id)
    if (intent === undefined || ends.get(intent.run) === true) return
    open.delete(id)
    refuted.delete(id)
    done.set(id, { intent, run: intent.run, upload })
    known.push({ account: intent, slug: upload.slug })
    const ids = doneOf.get(intent.path) ?? new Set()
    doneOf.set(intent.path, ids)
    // Moves to the end, like the entry in `done`.
    ids.delete(id)
    ids.add(id)
  }

  function refute(id: string): void {
    const entry = open.get(id)
    if (entry) refuted.set(id, entry.intent)
    open.delete(id)
  }

  function take(id: string, run: string): void {
    const entry = done.get(id)
    if (entry === undefined) return
    if (ends.get(run) === true) done.delete(id)
    else done.set(id, { ...entry, run })
  }

  function end(run: string, complete: boolean): void {
    ends.set(run, complete)
    if (!complete) return
    for (const [id, entry] of done) if (entry.run === run) done.delete(id)
    for (const [id, { intent }] of open) if (intent.run === run) open.delete(id)
  }

  function forget(account: Account, slug: string): void {
    for (const [id, { intent, upload }] of done) {
      if (isOf(intent, account) && upload.slug === slug) done.delete(id)
    }
  }

  return {
    apply(fact) {
      switch (fact.type) {
        case 'run':
          runs.set(fact.run, fact)
          return
        case 'intent':
          return intend(fact)
        case 'hashed':
          return hashed(fact.id, fact.sha256)
        case 'done':
          return store(fact.id, fact.upload)
        case 'not-stored':
          return refute(fact.id)
        case 'unknown': {
          const entry = open.get(fact.id)
          if (entry) open.set(fact.id, { ...entry, endedAt: fact.at })
          return
        }
        case 'taken':
          return take(fact.id, fact.run)
        case 'dropped':
          for (const entries of [open, refuted, done]) entries.delete(fact.id)
          return
        case 'end':
          return end(fact.run, fact.complete)
        case 'forgotten':
          return forget(fact, fact.slug)
        default:
          return unreachable(fact)
      }
    },
    open: (account, isLive) =>
      [...open.values()].filter(({ intent }) => isOf(intent, account) && !works(intent.run, isLive)),
    stored: (account, path, isLive) =>
      [...(doneOf.get(path) ?? [])]
        .flatMap((id) => done.get(id) ?? [])
        .filter(({ intent, run }) => isOf(intent, account) && !works(run, isLive)),
    slugs: (account) => known.flatMap((upload) => (isOf(upload.account, account) ? [upload.slug] : [])),
    retained(since, mayBeLive) {
      const needed = (intent: IntentFact, run: string) => intent.at >= since || works(run, mayBeLive)
      const kept = [...done.values()].filter(({ intent, run }) => needed(intent, run))
      const pending = [...open.values()].filter(({ intent }) => needed(intent, intent.run))
      const owners = new Set([...kept.map(({ run }) => run), ...pending.map(({ intent }) => intent.run)])
      const starts = [...runs.values()].filter(({ run }) => owners.has(run) || works(run, mayBeLive))
      return [
        ...starts,
        ...kept.flatMap(({ intent, run, upload }): readonly JournalFact[] => [
          intent,
          { type: 'done', id: intent.id, upload },
          ...(run === intent.run ? [] : [{ type: 'taken', id: intent.id, run } as const]),
        ]),
        ...pending.flatMap(({ intent, endedAt }): readonly JournalFact[] => [
          intent,
          ...(endedAt === null ? [] : [{ type: 'unknown', id: intent.id, at: endedAt } as const]),
        ]),
        ...starts.flatMap(({ run }): readonly JournalFact[] =>
          ends.has(run) ? [{ type: 'end', run, complete: ends.get(run) === true }] : [],
        ),
      ]
    },
  }
}

function isOf(one: Account, other: Account): boolean {
  return one.base_url === other.base_url && one.key_hash === other.key_hash
}

import type { Upload } from '../../index.ts'
import { unreachable } from '../failures/cli-error.ts'
import type { IntentFact, JournalFact, RunFact } from './journal-facts.ts'

/** Whose uploads are meant: one key of one service. */
export interface Account {
  readonly base_url: string
  readonly key_hash: string
}

/** An upload that is stored, and the run that answers for it. */
export interface DoneEntry {
  readonly intent: IntentFact
  readonly run: string
  readonly upload: Upload
}

/** An upload nobody knows the outcome of. */
export interface OpenEntry {
  readonly intent: IntentFact
  /** Epoch milliseconds: when it was given up; null where nobody saw it end. */
  readonly endedAt: number | null
}

/** Whether the process of a run is still at work, of which nothing was heard since `lastAt`. */
export type IsLive = (run: RunFact, lastAt: number) => boolean

/** Pure: the fold of the journal's facts. Knows no file, no process and no time. */
export interface JournalBook {
  apply(fact: JournalFact): void
  /** What was about to be sent and never came to an end, by runs that work no more. */
  open(account: Account, isLive: IsLive): readonly OpenEntry[]
  /** What runs that were left unfinished, or finished in part, have stored of a file; the oldest first. */
  stored(account: Account, path: string, isLive: IsLive): readonly DoneEntry[]
  /** Every upload the journal has heard of. */
  slugs(account: Account): readonly string[]
  /**
   * The facts that still matter, for a journal without the others; what is older than `since` matters to no one.
   * @param mayBeLive of a run that is not proven to have ended
   */
  retained(since: number, mayBeLive: IsLive): readonly JournalFact[]
}

export function createJournalBook(): JournalBook {
  const runs = new Map<string, RunFact>()
  const ends = new Map<string, boolean>()
  const lastAts = new Map<string, number>()
  const open = new Map<string, OpenEntry>()
  /** Taken for not stored, perhaps by one who could not see that they were still on their way. */
  const refuted = new Map<string, IntentFact>()
  const done = new Map<string, DoneEntry>()
  /** The ids of all that was ever done, by path: each file of a run is asked for, and both may be many. */
  const doneOf = new Map<string, Set<string>>()
  const known: { readonly account: Account; readonly slug: string }[] = []

  /** Without a first line, or with a last one, a run is over. */
  function works(id: string, isLive: IsLive): boolean {
    const run = runs.get(id)
    return run !== undefined && !ends.has(id) && isLive(run, lastAts.get(id) ?? run.at)
  }

  function intend(intent: IntentFact): void {
    lastAts.set(intent.run, Math.max(lastAts.get(intent.run) ?? 0, intent.at))
    // A line may stand there twice where the journal was rewritten meanwhile; what is done or over stays so.
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
    // To the end, as among what is done.
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

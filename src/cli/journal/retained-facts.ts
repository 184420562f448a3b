import { type Account, accountKey, type JournalFact, type RunFact } from './journal-facts.ts'
import { type JournalItem, pendingFacts, type StoredEntry, storedEntry } from './journal-items.ts'
import type { JournalMarks } from './journal-marks.ts'

/** What a shorter journal keeps, and what leaves it for the record of uploads. */
export interface Retained {
  readonly facts: readonly JournalFact[]
  readonly stored: readonly StoredEntry[]
  /** Slugs that the service no longer has. */
  readonly forgotten: readonly (Account & { readonly slug: string })[]
}

interface Kept {
  /** Claims and intents before it matter only to running runs. */
  readonly since: number
  /** Uploads stored before it leave the journal, unless an open upload is older. */
  readonly recentSince: number
  /** False for a run that is proven to have ended. */
  works(run: string): boolean
  readonly runs: ReadonlyMap<string, RunFact>
  readonly ended: ReadonlySet<string>
  readonly marks: JournalMarks
}

/**
 * The items that are not to be forgotten. What is left stays while a run at work has claimed something of the account: it may
 * wait for that.
 */
export function stayingOf(
  items: readonly JournalItem[],
  marks: JournalMarks,
  works: (run: string) => boolean,
): readonly JournalItem[] {
  const isLeft = ({ fact }: JournalItem) => marks.isLeaving(fact) && !works(fact.run)
  const left = new Set(items.filter(isLeft))
  if (left.size === 0) return items
  const open = items.filter(({ fact, outcome }) => outcome.type === 'open' && works(fact.run))
  const claimed = new Set(open.map(({ fact }) => accountKey(fact, '')))
  return items.filter((item) => !left.has(item) || claimed.has(accountKey(item.fact, '')))
}

/** @param items without those that are to be forgotten */
export function retainedOf(
  items: readonly JournalItem[],
  { since, recentSince, works, runs, ended, marks }: Kept,
): Omit<Retained, 'forgotten'> {
  const isPending = ({ fact, outcome }: JournalItem) =>
    (outcome.type === 'open' || outcome.type === 'unknown') &&
    (works(fact.run) || (fact.type === 'intent' && fact.at >= since))
  const pending = items.filter(isPending)
  // What was stored since an open upload began is not that upload.
  const oldest = pending.reduce((least, { fact }) => Math.min(least, fact.at), recentSince)
  const stored = items.flatMap(storedEntry)
  const isRecent = ({ at, item }: StoredEntry) => at >= oldest || works(item.run)
  const recent = stored.filter(isRecent)
  const owners = new Set([...recent.map(({ item }) => item.run), ...pending.map(({ fact }) => fact.run)])
  const starts = [...runs.values()].filter(({ run }) => owners.has(run) || works(run))
  return {
    facts: [
      ...starts,
      ...items.flatMap((item): readonly JournalFact[] => {
        const { fact } = item
        if (isPending(item)) return pendingFacts(item)
        const [entry] = storedEntry(item)
        if (entry === undefined || !isRecent(entry)) return []
        const { upload, at } = entry
        return fact.type === 'found' ? [fact] : [fact, { type: 'done', id: fact.id, upload, at }]
      }),
      ...marks.retained(works),
      ...starts.flatMap(({ run }): readonly JournalFact[] => (ended.has(run) ? [{ type: 'end', run }] : [])),
    ],
    stored: stored.filter((entry) => !isRecent(entry)),
  }
}

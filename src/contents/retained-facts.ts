import { type Account, accountKey, type JournalFact, type RunFact } from './journal-facts.ts'
import { itemFacts, type JournalItem, type StoredEntry, storedEntry } from './journal-items.ts'
import type { JournalMarks } from './journal-marks.ts'
import { type RecentContents, recentFacts, recentLine } from './recent-contents.ts'

/** What a shorter journal keeps, and what leaves it for the record of uploads. */
export interface Retained {
  readonly facts: readonly JournalFact[]
  readonly stored: readonly StoredEntry[]
  /** Slugs that the service no longer has. */
  readonly forgotten: readonly (Account & { readonly slug: string })[]
}

/** From when on things are kept, in epoch milliseconds. */
export interface KeptSince {
  /** Claims and intents before it matter only to running runs. */
  readonly pending: number
  /** Uploads stored before it leave the journal, unless an open upload is older. */
  readonly recent: number
  /** Uploads stored before it are asked for: what the record has of them is all that the journal needs. */
  readonly fresh: number
  /** Whether a run at work learns what it has stored by its claim alone, and not by its name. */
  readonly byClaimAlone?: boolean
}

interface Kept {
  readonly since: KeptSince
  /** False for a run that is proven to have ended. */
  works(run: string): boolean
  readonly runs: ReadonlyMap<string, RunFact>
  readonly ended: ReadonlySet<string>
  readonly marks: JournalMarks
  readonly recent: RecentContents
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
  { since, works, runs, ended, marks, recent }: Kept,
): Omit<Retained, 'forgotten'> {
  const isPending = ({ fact, outcome }: JournalItem) =>
    (outcome.type === 'open' || outcome.type === 'unknown') &&
    (works(fact.run) || (fact.type === 'intent' && fact.at >= since.pending))
  const pending = items.filter(isPending)
  // What was stored since an open upload began is not that upload. A fleet compares bytes, and one upload that is never
  // asked for again would keep all facts of a month in its log.
  const open = since.byClaimAlone ? [] : pending
  const oldest = open.reduce((least, { fact }) => Math.min(least, fact.at), since.recent)
  const stored = items.flatMap(storedEntry)
  const isQuiet = ![...runs.keys()].some(works)
  // In the record at once, but for a fleet, whose record does not tell what is fresh.
  const quietly = since.byClaimAlone ? since.fresh : Number.POSITIVE_INFINITY
  // A run at work may be told of an upload by its claim, or by its name.
  const isWhole = ({ at, item }: StoredEntry) =>
    (!since.byClaimAlone && works(item.run)) ||
    marks.isLeaving(item) ||
    at >= (isQuiet && item.sha256 !== '' ? quietly : oldest)
  const whole = stored.filter(isWhole)
  const rest = stored.filter((entry) => !isWhole(entry))
  const owners = new Set([...whole.map(({ item }) => item.run), ...pending.map(({ fact }) => fact.run)])
  const starts = [...runs.values()].filter(({ run }) => owners.has(run) || (!since.byClaimAlone && works(run)))
  return {
    facts: [
      ...starts,
      // Before all claims: one that was made before the upload is to find it, too.
      ...recentFacts(
        [...recent.since(oldest), ...rest.filter(({ at }) => at >= oldest).flatMap(recentLine)],
        since.fresh,
      ),
      ...items.flatMap((item) => (isPending(item) || storedEntry(item).some(isWhole) ? itemFacts(item) : [])),
      ...marks.retained((run) => works(run) || owners.has(run)),
      ...starts.flatMap(({ run }): readonly JournalFact[] => (ended.has(run) ? [{ type: 'end', run }] : [])),
    ],
    stored: rest,
  }
}

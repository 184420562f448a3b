import type { Reconciliation, Upload } from '../index.ts'
import { essence } from '../internal.ts'
import { accountAddress } from '../system/account-hash.ts'
import {
  type Account,
  accountKey,
  countOf,
  type IntentFact,
  isOf,
  type JournalFact,
  RECENT_WEIGHT,
  type RunFact,
  weightOf,
} from './journal-facts.ts'
import {
  hasLaterClaim,
  type ItemSize,
  type JournalItem,
  lostFacts,
  nameOf,
  type OpenEntry,
  openEntry,
  type Standing,
  type StoredEntry,
  standingAfter,
  storedEntry,
  type Underway,
  underway,
} from './journal-items.ts'
import { createJournalMarks } from './journal-marks.ts'
import { createRecentContents } from './recent-contents.ts'
import { type KeptSince, type Retained, retainedOf, stayingOf } from './retained-facts.ts'

/** Whether the process of a run is still at work, given its last sign of life in epoch milliseconds. */
export type IsLive = (run: RunFact, lastAt: number) => boolean

/** What other lines say. */
interface Known {
  itemOf(id: string): JournalItem | undefined
  startOf(run: string): RunFact | undefined
}

/** The fold of the journal's facts. Pure: knows no file, process or time. */
export function createJournalFold() {
  const runs = new Map<string, RunFact>()
  const ended = new Set<string>()
  const lastAts = new Map<string, number>()
  /** By id, in the journal's order. */
  const items = new Map<string, JournalItem>()
  const bySize = new Map<string, JournalItem[]>()
  const forgotten = new Map<string, Account & { readonly slug: string }>()
  const marks = createJournalMarks()
  /** A shorter journal begins with them: they come before all other items. */
  const recent = createRecentContents()
  let [count, weight] = [0, 0]

  /** A run without a `run` fact, or with an `end`, is over. */
  function works(id: string, isLive: IsLive): boolean {
    const run = runs.get(id)
    return run !== undefined && !ended.has(id) && isLive(run, lastAts.get(id) ?? run.at)
  }

  function addItem(fact: JournalItem['fact']): JournalItem {
    lastAts.set(fact.run, Math.max(lastAts.get(fact.run) ?? 0, fact.at))
    const known = items.get(fact.id)
    if (known !== undefined) return known
    const item: JournalItem = { fact, outcome: { type: 'open' } }
    items.set(fact.id, item)
    addToSize(item)
    return item
  }

  function addToSize(item: JournalItem): void {
    const key = accountKey(item.fact, item.fact.size)
    const others = bySize.get(key)
    if (others) others.push(item)
    else bySize.set(key, [item])
  }

  function intend(intent: IntentFact): void {
    const item = addItem(intent)
    const { sha256, size } = item.fact
    item.fact = { ...intent, sha256: intent.sha256 === '' ? sha256 : intent.sha256 }
    // The file has been changed since it was claimed: it is among those of both sizes.
    if (size !== intent.size) addToSize(item)
    // A rewrite may repeat a line: what is stored stays so.
    if (item.outcome.type !== 'stored') item.outcome = { type: 'open' }
  }

  function store(item: JournalItem | undefined, upload: Upload, at: number): void {
    if (item === undefined) return
    item.outcome = { type: 'stored', slug: upload.slug, upload, at }
    forgotten.delete(accountKey(item.fact, upload.slug))
  }

  function forget(account: Account & { readonly slug: string }): void {
    for (const item of all()) {
      const { fact, outcome } = item
      const isIt = outcome.type === 'stored' && outcome.slug === account.slug && isOf(fact, account)
      if (isIt) item.outcome = { type: 'not-stored' }
    }
    const { base_url, key_hash, slug } = account
    forgotten.set(accountKey(account, slug), { base_url, key_hash, slug })
  }

  /** What runs at work, or those that are over, have of an account. */
  function ofRuns<T>(
    account: Account,
    areAtWork: boolean,
    isLive: IsLive,
    entryOf: (item: JournalItem) => T | undefined,
  ): readonly T[] {
    const entries: T[] = []
    // Each file of a batch asks this of all before it, most of which are stored. Whether a process lives is slow to ask.
    for (const item of items.values()) {
      const entry = entryOf(item)
      if (entry && isOf(item.fact, account) && works(item.fact.run, isLive) === areAtWork) entries.push(entry)
    }
    return entries
  }

  const staying = (isLive: IsLive) => stayingOf([...items.values()], marks, (run) => works(run, isLive))
  const all = () => [...recent.all(), ...items.values()]
  const sameSize = (account: Account, size: number) => [
    ...recent.ofSize(account, size),
    ...(bySize.get(accountKey(account, size)) ?? []),
  ]
  const storedIn = (of: Iterable<JournalItem>) => [...of].flatMap(storedEntry)

  return {
    apply(fact: JournalFact) {
      count += countOf(fact)
      weight += weightOf(fact)
      switch (fact.type) {
        case 'run':
          runs.set(fact.run, fact)
          return
        case 'claim':
          addItem(fact)
          return
        case 'intent':
          return intend(fact)
        case 'found':
          return store(addItem(fact), fact.upload, fact.at)
        case 'recent':
          recent.add(fact)
          return
        case 'hashed': {
          const item = items.get(fact.id)
          if (item) item.fact = { ...item.fact, sha256: fact.sha256 }
          return
        }
        case 'done': {
          const item = items.get(fact.id)
          return store(item, fact.upload, fact.at ?? item?.fact.at ?? 0)
        }
        case 'looking': {
          const item = items.get(fact.id)
          if (item?.outcome.type === 'open') item.outcome = { type: 'open', isLooking: true }
          return
        }
        case 'not-stored':
        case 'unknown': {
          const item = items.get(fact.id)
          // Another run may say so of an upload whose answer has arrived since.
          if (item && item.outcome.type !== 'stored') item.outcome = fact
          return
        }
        case 'end':
          ended.add(fact.run)
          return
        case 'deleting':
        case 'kept':
        case 'leaving':
        case 'adopting':
          return marks.apply(fact)
        case 'forgotten':
          marks.apply(fact)
          return forget(fact)
        default:
          return fact satisfies never
      }
    },
    /** Uploads of runs that have ended, without an outcome. */
    open: (account: Account, isLive: IsLive): readonly OpenEntry[] => ofRuns(account, false, isLive, openEntry),
    /** Uploads of runs at work, without an outcome, in the journal's order. */
    underway: (account: Account, isLive: IsLive): readonly Underway[] => ofRuns(account, true, isLive, underway),
    /** What became of an upload of this name; undefined if no run has found that out. */
    outcomeOf(id: string): Reconciliation | undefined {
      const outcome = items.get(id)?.outcome
      if (outcome?.type === 'stored' && outcome.upload) return { type: 'stored', upload: outcome.upload }
      return outcome?.type === 'not-stored' ? { type: 'not-stored' } : undefined
    },
    isOpen: (id: string): boolean => items.get(id)?.outcome.type === 'open',
    itemOf: (id: string): JournalItem | undefined => items.get(id),
    startOf: (run: string): RunFact | undefined => runs.get(run),
    /** What a run has told of itself and its uploads, and other lines do not say. */
    lostOf(run: string, { itemOf, startOf }: Known): readonly JournalFact[] {
      const start = startOf(run) === undefined ? runs.get(run) : undefined
      const own = [...items.values()].filter(({ fact }) => fact.run === run)
      return [...(start ? [start] : []), ...own.flatMap((item) => lostFacts(item, itemOf(item.fact.id)))]
    },
    /** Stored files of a size, in the journal's order. */
    stored: (account: Account, size: number): readonly StoredEntry[] => storedIn(sameSize(account, size)),
    /** The stored file of a slug. */
    owner: (account: Account, slug: string): StoredEntry | undefined =>
      storedIn(all()).findLast((entry) => entry.slug === slug && isOf(entry.item, account)),
    /** Every upload of the account in this journal. */
    slugs: (account: Account): readonly string[] =>
      storedIn(all()).flatMap(({ item, slug }) => (isOf(item, account) ? [slug] : [])),
    /** The base names of stored files at an address, by slug. */
    names(baseUrl: string): ReadonlyMap<string, string> {
      const wanted = accountAddress(baseUrl)
      const named = storedIn(all()).filter(({ item }) => accountAddress(item.base_url) === wanted)
      // Of several entries of one upload the first counts: later ones may be other files of the same content.
      return new Map(named.reverse().map(({ item, slug }) => [slug, nameOf(item.path)]))
    },
    /** Whether the uploads of a type that are stored show that the service keeps such files as they are. */
    keeps(account: Account, mimeType: string): boolean {
      const shown = storedIn(items.values()).flatMap(({ item, upload }) =>
        upload && 'mime_type' in item && item.mime_type === mimeType && isOf(item, account)
          ? [upload.size === item.size && essence(upload.mime_type) === essence(mimeType)]
          : [],
      )
      return shown.length > 0 && shown.every(Boolean)
    },
    /** Accounts with items in this journal. */
    accounts: (): readonly Account[] => {
      const named = [...recent.accounts(), ...[...items.values()].map(({ fact }) => fact)]
      const accounts = new Map(named.map((one) => [`${one.key_hash} ${one.base_url}`, one]))
      return [...accounts.values()].map(({ base_url, key_hash }) => ({ base_url, key_hash }))
    },
    /** Whether an item's run is known here, and has ended. */
    isOver(id: string, isLive: IsLive): boolean {
      const run = items.get(id)?.fact.run
      return run !== undefined && runs.has(run) && !works(run, isLive)
    },
    isForgotten: (account: Account, slug: string): boolean => forgotten.has(accountKey(account, slug)),
    /** The run that asks the service to delete an upload; undefined where none does, as far as is known. */
    deleter(account: Account, slug: string, isLive: IsLive) {
      const run = marks.deleter(account, slug)
      return run === undefined ? undefined : { run: runs.get(run), isAtWork: works(run, isLive) }
    },
    adopting: marks.adopting,
    /** The runs at work that have uploads of an account. */
    atWork(keyHash: string, isLive: IsLive): readonly RunFact[] {
      const owners = new Set([...items.values()].flatMap(({ fact }) => (fact.key_hash === keyHash ? [fact.run] : [])))
      return [...runs.values()].filter(({ run }) => owners.has(run) && works(run, isLive))
    },
    /** Whether anything is to be forgotten, because a run is over that was at work when its account was left. */
    isLeft: (isLive: IsLive): boolean => staying(isLive).length < items.size,
    /** @param since claims and intents before it matter only to running runs */
    standing(id: string, isLive: IsLive, since: number): Standing {
      const mine = items.get(id)?.fact
      if (mine === undefined) return { type: 'first' }
      const all = sameSize(mine, mine.size)
      const own = all.findIndex(({ fact }) => fact.id === id)
      return standingAfter(all.slice(0, own), mine.sha256, {
        works: (run) => works(run, isLive),
        factOf: (run) => runs.get(run),
        since,
      })
    },
    isAwaited: (own: ItemSize): boolean => hasLaterClaim(sameSize(own, own.size), own.id),
    /** About the least weight of a shorter journal: quickly told. */
    leastRetained(since: KeptSince, mayBeLive: IsLive): number {
      const isQuiet = ![...runs.keys()].some((run) => works(run, mayBeLive))
      let stored = 0
      for (const { outcome } of items.values()) if (outcome.type === 'stored' && outcome.at >= since.recent) stored += 1
      return recent.countSince(since.recent) * RECENT_WEIGHT + stored * (isQuiet ? RECENT_WEIGHT : 1)
    },
    /** How many facts were applied. */
    count: () => count,
    /** What they cost to read, as {@link weightOf} tells. */
    weight: () => weight,
    /** @param mayBeLive true for a run that is not proven to have ended */
    retained(since: KeptSince, mayBeLive: IsLive): Retained {
      // Whether a process lives is slow to ask, and each item asks.
      const asked = new Map<string, boolean>()
      const worksStill = (run: string) => {
        const answer = asked.get(run) ?? works(run, mayBeLive)
        asked.set(run, answer)
        return answer
      }
      const left = stayingOf([...items.values()], marks, worksStill)
      return {
        ...retainedOf(left, { since, works: worksStill, runs, ended, marks, recent }),
        forgotten: [...forgotten.values()],
      }
    },
  }
}

export type JournalFold = ReturnType<typeof createJournalFold>

export function foldOf(facts: readonly JournalFact[]): JournalFold {
  const fold = createJournalFold()
  for (const fact of facts) fold.apply(fact)
  return fold
}

import { readJson } from '../checks/values.ts'
import type { Upload } from '../index.ts'
import { isTooDeep } from '../protocol/json-depth.ts'
import { type Account, accountKey, isOf, keptUpload, type RecentFact } from './journal-facts.ts'
import { type JournalItem, nameOf, type RecentItem, type StoredEntry } from './journal-items.ts'
import { entryLine, parseEntry, type RecordEntry, sizeAt, timeOf } from './record/record-lines.ts'

/** Of so many lines the time tells how old all are. */
const MOST_LOOKS = 32

/**
 * The uploads that `recent` facts list. A large batch leaves thousands, of which the next run asks for few: their lines are
 * looked over when something is asked for by its size, and read when that size is theirs.
 */
export function createRecentContents() {
  const lists: ReturnType<typeof createList>[] = []
  return {
    add: (fact: RecentFact) => lists.push(createList(fact)),
    accounts: (): readonly Account[] => lists.map(({ fact }) => fact),
    all: (): readonly JournalItem[] =>
      lists.flatMap(({ fact, read }) => fact.entries.flatMap((_, index) => read(index))),
    ofSize: (account: Account, size: number): readonly JournalItem[] =>
      lists.flatMap((list) => (isOf(list.fact, account) ? list.ofSize(size) : [])),
    /** How many were stored or seen since, about: they stand nearly in the order of their times. @param since epoch milliseconds */
    countSince: (since: number): number => lists.reduce((sum, list) => sum + list.countSince(since), 0),
    /** Those that were stored or seen since, and are not gone, as they stand. */
    since: (since: number): readonly RecentLine[] => lists.flatMap((list) => list.since(since)),
  }
}

export type RecentContents = ReturnType<typeof createRecentContents>

function createList(fact: RecentFact) {
  const { entries, uploads } = fact
  /** By their places in the list; none for a damaged line. */
  const items = new Map<number, readonly JournalItem[]>()
  let bySize: Map<number, number[]> | undefined

  function read(index: number): readonly JournalItem[] {
    const found = items.get(index) ?? itemOf(fact, index)
    items.set(index, found)
    return found
  }

  function lookOver(): ReadonlyMap<number, readonly number[]> {
    bySize = new Map()
    for (const [index, line] of entries.entries()) {
      const size = sizeAt(line, 0)
      const others = bySize.get(size)
      if (others) others.push(index)
      else bySize.set(size, [index])
    }
    return bySize
  }

  return {
    fact,
    read,
    ofSize: (size: number) => ((bySize ?? lookOver()).get(size) ?? []).flatMap(read),
    countSince(since: number): number {
      const looks = Math.min(entries.length, MOST_LOOKS)
      const places = Array.from({ length: looks }, (_, look) => Math.floor((look * entries.length) / looks))
      const young = places.filter((place) => timeOf(entries[place] ?? '') >= since)
      return (entries.length * young.length) / Math.max(looks, 1)
    },
    since: (since: number): readonly RecentLine[] =>
      entries.flatMap((entry, index) => {
        const at = timeOf(entry)
        const isGone = items.get(index)?.some(({ outcome }) => outcome.type === 'not-stored')
        return at >= since && !isGone ? [{ account: fact, at, entry, upload: uploads?.[index] ?? '' }] : []
      }),
  }
}

function itemOf({ base_url, key_hash, entries, uploads }: RecentFact, index: number): readonly JournalItem[] {
  const entry = parseEntry(entries[index] ?? '')
  if (entry === undefined) return []
  const { slug, name, at, size, sha256 } = entry
  const id = `${accountKey({ base_url, key_hash }, slug)} ${sha256}`
  const fact: RecentItem = { type: 'recent', id, run: '', base_url, key_hash, path: `-${name}`, size, sha256, at }
  return [{ fact, outcome: { type: 'stored', slug, upload: parseUpload(uploads?.[index] ?? ''), at } }]
}

/** An upload as a `recent` fact has it. */
interface RecentLine {
  readonly account: Account
  readonly at: number
  /** Of the record. */
  readonly entry: string
  /** Empty where it is not kept. */
  readonly upload: string
}

/**
 * One for each account.
 * @param fresh uploads stored or seen since are kept whole, in epoch milliseconds
 */
export function recentFacts(lines: readonly RecentLine[], fresh: number): readonly RecentFact[] {
  const facts = new Map<string, Account & { readonly entries: string[]; readonly uploads: string[] }>()
  for (const { account, at, entry, upload } of lines) {
    const { base_url, key_hash } = account
    const key = accountKey(account, '')
    const fact = facts.get(key) ?? { base_url, key_hash, entries: [], uploads: [] }
    fact.entries.push(entry)
    fact.uploads.push(at >= fresh ? upload : '')
    facts.set(key, fact)
  }
  return [...facts.values()].map(({ uploads, ...fact }) => ({
    type: 'recent',
    ...fact,
    ...(uploads.some(Boolean) && { uploads }),
  }))
}

/** A stored upload as a `recent` fact has it; nothing where its content was not hashed. */
export function recentLine(one: StoredEntry): readonly RecentLine[] {
  const upload = one.upload ? JSON.stringify(one.upload).slice(1, -1) : ''
  return toEntry(one).map((entry) => ({ account: one.item, at: one.at, entry: entryLine(entry), upload }))
}

/** What the record keeps of a stored upload; nothing where its content was not hashed. */
export function toEntry({ item, slug, at }: StoredEntry): readonly RecordEntry[] {
  const { key_hash: account, size, sha256, path } = item
  return sha256 === '' ? [] : [{ account, size, sha256, slug, name: nameOf(path), at }]
}

/** Braces are left out: a line with few brackets is known at once not to be too deep. */
function parseUpload(text: string): Upload | undefined {
  const json = `{${text}}`
  return isTooDeep(json) ? undefined : readJson(keptUpload, json)
}

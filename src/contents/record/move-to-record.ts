import { ForeignFileError } from '../../system/private-file.ts'
import type { Account, JournalFact, RunFact } from '../journal-facts.ts'
import { parseLines, toLine, weightOf } from '../journal-facts.ts'
import type { JournalFile } from '../journal-file.ts'
import { foldOf, type IsLive, type JournalFold } from '../journal-fold.ts'
import { FRESH_MS } from '../known-uploads.ts'
import { toEntry } from '../recent-contents.ts'
import type { Retained } from '../retained-facts.ts'
import type { RecordContent, RecordFile } from './record-file.ts'
import { ForeignRecordError } from './record-segment.ts'

/** Older open uploads are not looked for any more. */
export const KEPT_MS = 30 * 86_400_000
/** Stored uploads are in the journal for this long, and so among what rivals of a claim and an open upload may be. */
export const RECENT_MS = 60_000
/** A journal of fewer facts is not worth rewriting. */
const SHORTEN_FROM = 150
/** Nor one that stays longer than this part of itself. */
const WORTH_IT = 0.5

interface Moment {
  readonly now: number
  /** True for a run that is not proven to have ended. */
  readonly mayBeLive: IsLive
  /** What this run has read of the journal. */
  readonly fold: JournalFold
}

/**
 * Moves stored uploads of a long journal to the record, so that the next run has little to read. The record is whole on
 * the disk before the journal loses a line: a kill in between repeats entries, which the next move joins.
 */
export function moveToRecord(journal: JournalFile, record: RecordFile, { now, mayBeLive, fold }: Moment): void {
  const since = { pending: now - KEPT_MS, recent: now - RECENT_MS, fresh: now - FRESH_MS }
  const isWorthIt = () =>
    fold.count() >= SHORTEN_FROM &&
    fold.leastRetained(since, mayBeLive) <= WORTH_IT * fold.weight() &&
    fold.retained(since, mayBeLive).facts.reduce((sum, fact) => sum + weightOf(fact), 0) <= WORTH_IT * fold.weight()
  try {
    if (!fold.isLeft(mayBeLive) && !isWorthIt()) return
    journal.rewrite((lines) => {
      const retained = foldOf(parseLines(lines)).retained(since, mayBeLive)
      if (retained.forgotten.length === 0) record.add(contentOf(retained))
      else record.rewrite((content) => withMoved(content, retained))
      return retained.facts.map(toLine)
    })
  } catch {
    // A long journal works as well as a short one.
  }
}

/**
 * Changes whose uploads the journal and the record list.
 * @param change the account that an account becomes; undefined to forget it
 * @returns false if another process is rewriting the journal
 */
export function changeAccounts(
  journal: JournalFile,
  record: Pick<RecordFile, 'rewrite'>,
  change: (account: Account) => Account | undefined,
): boolean {
  return journal.rewrite((lines) => changedLines(parseLines(lines), record, change))
}

/**
 * Forgets the uploads of an account. What runs at work have of it stays until they are over: without it they would upload
 * files that others of them are uploading.
 * @returns those runs; undefined if another process is rewriting the journal
 */
export function leaveAccount(
  journal: JournalFile,
  record: Pick<RecordFile, 'rewrite'>,
  account: string,
  mayBeLive: IsLive,
): readonly RunFact[] | undefined {
  let atWork: readonly RunFact[] = []
  const isDone = journal.rewrite((lines) => {
    const facts = parseLines(lines)
    atWork = foldOf(facts).atWork(account, mayBeLive)
    const runs = new Set(atWork.map(({ run }) => run))
    const stays = (one: Account & { readonly run?: string }) =>
      one.key_hash !== account || (one.run !== undefined && runs.has(one.run)) ? one : undefined
    const [left] = facts.flatMap((fact) => ('key_hash' in fact && fact.key_hash === account ? [fact] : []))
    const leaving = left
      ? atWork.map(({ run }) => toLine({ type: 'leaving', run, base_url: left.base_url, key_hash: account }))
      : []
    return [...changedLines(facts, record, stays), ...leaving]
  })
  return isDone ? atWork : undefined
}

function changedLines(
  facts: readonly JournalFact[],
  record: Pick<RecordFile, 'rewrite'>,
  change: (account: Account & { readonly run?: string }) => Account | undefined,
): readonly string[] {
  record.rewrite(({ addresses, entries }) => {
    const baseUrls = new Map(addresses.map(({ account, baseUrl }) => [account, baseUrl]))
    const next = (account: string) => change({ key_hash: account, base_url: baseUrls.get(account) ?? '' })
    return {
      addresses: addresses.flatMap(({ account }) => {
        const to = next(account)
        return to ? [{ account: to.key_hash, baseUrl: to.base_url }] : []
      }),
      entries: entries.flatMap((entry) => {
        const to = next(entry.account)
        return to ? [{ ...entry, account: to.key_hash }] : []
      }),
    }
  })
  const dropped = new Set<string>()
  return facts.flatMap((fact) => {
    // Facts without an account follow an item of one, and may contain its upload.
    if (fact.type === 'adopting') return []
    if (!('key_hash' in fact)) return 'id' in fact && dropped.has(fact.id) ? [] : [toLine(fact)]
    const to = change(fact)
    if (to === undefined && 'id' in fact) dropped.add(fact.id)
    return to ? [toLine({ ...fact, base_url: to.base_url, key_hash: to.key_hash })] : []
  })
}

/** A record that is not of this version is left alone; what the journal lists can still be taken over. */
export function unlessForeign(record: RecordFile): Pick<RecordFile, 'rewrite'> {
  return {
    rewrite(change) {
      try {
        record.rewrite(change)
      } catch (error) {
        if (!(error instanceof ForeignRecordError || error instanceof ForeignFileError)) throw error
      }
    },
  }
}

function withMoved({ addresses, entries }: RecordContent, retained: Retained): RecordContent {
  const gone = new Set(retained.forgotten.map(({ key_hash, slug }) => `${key_hash} ${slug}`))
  const moved = contentOf(retained)
  return {
    addresses: [...addresses, ...moved.addresses],
    entries: [...entries.filter(({ account, slug }) => !gone.has(`${account} ${slug}`)), ...moved.entries],
  }
}

function contentOf({ stored }: Retained): RecordContent {
  return {
    addresses: stored.map(({ item }) => ({ account: item.key_hash, baseUrl: item.base_url })),
    entries: stored.flatMap(toEntry),
  }
}

import type { Account, JournalFact } from './journal-facts.ts'

type Marking = Extract<JournalFact, { readonly type: 'deleting' | 'kept' | 'leaving' | 'forgotten' }>
type Kept = Extract<Marking, { readonly type: 'deleting' | 'leaving' }>

/** What runs mean to do with uploads and accounts that the journal lists. */
export interface JournalMarks {
  apply(fact: Marking): void
  /** The run that was last known to delete an upload; undefined where none is, or how it ended is known. */
  deleter(account: Account, slug: string): string | undefined
  /** Whether what a run has of an account is to be forgotten once the run is over. */
  isLeaving(item: Account & { readonly run: string }): boolean
  /** What a shorter journal keeps. @param works whether a run is still at work */
  retained(works: (run: string) => boolean): readonly Kept[]
}

export function createJournalMarks(): JournalMarks {
  const deleting = new Map<string, Kept>()
  const leaving = new Map<string, Kept>()
  return {
    apply(fact) {
      if (fact.type === 'leaving') leaving.set(key(fact, fact.run), fact)
      else if (fact.type === 'deleting') deleting.set(key(fact, fact.slug), fact)
      else deleting.delete(key(fact, fact.slug))
    },
    deleter: (account, slug) => deleting.get(key(account, slug))?.run,
    isLeaving: (item) => leaving.has(key(item, item.run)),
    retained: (works) => [...deleting.values(), ...leaving.values()].filter(({ run }) => works(run)),
  }
}

function key({ key_hash, base_url }: Account, name: string): string {
  return `${key_hash} ${base_url} ${name}`
}

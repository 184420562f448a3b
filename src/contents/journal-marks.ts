import { type Account, accountKey, type JournalFact } from './journal-facts.ts'

type Marking = Extract<JournalFact, { readonly type: 'deleting' | 'kept' | 'leaving' | 'adopting' | 'forgotten' }>
type Adopting = Extract<Marking, { readonly type: 'adopting' }>
type Kept = Extract<Marking, { readonly type: 'deleting' | 'leaving' }>

/** What runs mean to do with uploads and accounts that the journal lists. */
export function createJournalMarks() {
  const deleting = new Map<string, Kept>()
  const leaving = new Map<string, Kept>()
  const adopting = new Map<string, Adopting>()
  return {
    apply(fact: Marking): void {
      if (fact.type === 'adopting') adopting.set(accountKey(fact, ''), fact)
      else if (fact.type === 'leaving') leaving.set(accountKey(fact, fact.run), fact)
      else if (fact.type === 'deleting') deleting.set(accountKey(fact, fact.slug), fact)
      else deleting.delete(accountKey(fact, fact.slug))
    },
    /** The run that was last known to delete an upload; undefined where none is, or how it ended is known. */
    deleter: (account: Account, slug: string): string | undefined => deleting.get(accountKey(account, slug))?.run,
    /** Whether what a run has of an account is to be forgotten once the run is over. */
    isLeaving: (item: Account & { readonly run: string }): boolean => leaving.has(accountKey(item, item.run)),
    /** What a shorter journal keeps. @param works whether the marks of a run still matter */
    retained: (works: (run: string) => boolean): readonly (Kept | Adopting)[] => [
      ...[...deleting.values(), ...leaving.values()].filter(({ run }) => works(run)),
      ...adopting.values(),
    ],
    /** The account whose uploads become those of this one, where that was begun and not ended. */
    adopting: (account: Account): Account | undefined => adopting.get(accountKey(account, ''))?.from,
  }
}

export type JournalMarks = ReturnType<typeof createJournalMarks>

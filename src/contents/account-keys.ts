import { accountAddress, accountHash, formerAccountHashes } from '../system/account-hash.ts'
import type { Account, JournalFact } from './journal-facts.ts'
import type { JournalFile } from './journal-file.ts'
import type { JournalFold } from './journal-fold.ts'
import { changeAccounts, unlessForeign } from './record/move-to-record.ts'
import type { RecordFile } from './record/record-file.ts'

/** A key of an address. */
export interface AccountKey {
  readonly baseUrl: string
  readonly apiKey: string
}

/** Another key that was used with the same address. */
export interface OtherKey {
  readonly account: Account
  readonly slugs: ReadonlySet<string>
}

/** The names under which an account of this machine is recorded: its own, and those that earlier versions gave its address. */
export function createAccountKeys({ baseUrl, apiKey }: AccountKey) {
  const former: ReadonlySet<string> = new Set(formerAccountHashes(baseUrl, apiKey))
  const account: Account = { base_url: accountAddress(baseUrl), key_hash: accountHash(baseUrl, apiKey) }
  let isInJournal = false
  return {
    account,
    /** In the record. */
    names: [account.key_hash, ...former],
    /** The fact as one of the account. */
    renamed(fact: JournalFact): JournalFact {
      if (!('key_hash' in fact && former.has(fact.key_hash))) return fact
      isInJournal = true
      return { ...fact, ...account }
    },
    /** The other keys of its address; none once it has uploads itself, but for those of one that it began to adopt. */
    others(fold: JournalFold, record: RecordFile | undefined): readonly OtherKey[] {
      const recorded = record?.addresses().map((one) => ({ base_url: one.baseUrl, key_hash: one.account })) ?? []
      const isHere = ({ base_url }: Account) => accountAddress(base_url) === account.base_url
      const keys = [...recorded, ...fold.accounts()].filter(isHere)
      const isOwn = ({ key_hash }: Account) => key_hash === account.key_hash || former.has(key_hash)
      const begun = fold.adopting(account)
      if (begun === undefined && keys.some(isOwn)) return []
      const others = keys.filter(({ key_hash }) => begun === undefined || key_hash === begun.key_hash)
      return [...new Map(others.map((key) => [key.key_hash, key])).values()].map((other) => ({
        account: other,
        slugs: new Set([...fold.slugs(other), ...(record?.all(other.key_hash) ?? []).map(({ slug }) => slug)]),
      }))
    },
    /** Gives the account all that stands under its former names; what another process is rewriting waits for the next run. */
    takeOver(journal: JournalFile, record: RecordFile): void {
      if (former.size === 0) return
      try {
        if (!isInJournal && !record.addresses().some((one) => former.has(one.account))) return
        changeAccounts(journal, unlessForeign(record), (one) => (former.has(one.key_hash) ? account : one))
      } catch {
        // All names are read until a run can write.
      }
    },
  }
}

import { accountAddress, accountHash, formerAccountHashes } from '../../system/account-hash.ts'
import type { Credentials } from '../config/connection.ts'
import type { Account, JournalFact } from './journal-facts.ts'
import type { JournalFile } from './journal-file.ts'
import { changeAccounts, unlessForeign } from './move-to-record.ts'
import type { RecordFile } from './record-file.ts'

export function accountOf({ baseUrl, apiKey }: Credentials): Account {
  return { base_url: accountAddress(baseUrl), key_hash: accountHash(baseUrl, apiKey) }
}

/** What earlier versions recorded for an account of this machine under the other names of its address. */
export function createFormerAccount({ baseUrl, apiKey }: Credentials, account: Account) {
  const names: ReadonlySet<string> = new Set(formerAccountHashes(baseUrl, apiKey))
  let isInJournal = false
  const own = (name: string) => (names.has(name) ? account.key_hash : name)
  const all = (name: string) => (name === account.key_hash ? [name, ...names] : [name])
  return {
    /** The fact as one of the account. */
    renamed(fact: JournalFact): JournalFact {
      if (!('key_hash' in fact && names.has(fact.key_hash))) return fact
      isInJournal = true
      return { ...fact, ...account }
    },
    /** The record with entries under other names among those of the account. */
    joined: (record: RecordFile): RecordFile => ({
      ...record,
      bySize: (name, sizes) => all(name).flatMap((one) => record.bySize(one, sizes)),
      all: (name) => all(name).flatMap((one) => record.all(one)),
      addresses: () => record.addresses().map((one) => ({ ...one, account: own(one.account) })),
    }),
    /** Gives the account all that stands under other names; what another process is rewriting waits for the next run. */
    takeOver(journal: JournalFile, record: RecordFile): void {
      if (names.size === 0) return
      try {
        if (!isInJournal && !record.addresses().some((one) => names.has(one.account))) return
        changeAccounts(journal, unlessForeign(record), (one) => (names.has(one.key_hash) ? account : one))
      } catch {
        // All names are read until a run can write.
      }
    },
  }
}

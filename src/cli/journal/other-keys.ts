import { accountAddress } from '../../system/account-hash.ts'
import type { Account } from './journal-facts.ts'
import type { JournalFold } from './journal-fold.ts'
import type { RecordFile } from './record-file.ts'

/** Another key that was used with the same address. */
export interface OtherKey {
  readonly account: Account
  readonly slugs: ReadonlySet<string>
}

/** The other keys of an account's address; none once the account itself has uploads, but for those of one that it began to adopt. */
export function otherKeys(account: Account, fold: JournalFold, record: RecordFile | undefined): readonly OtherKey[] {
  const recorded = record?.addresses().map((one) => ({ base_url: one.baseUrl, key_hash: one.account })) ?? []
  const keys = [...recorded, ...fold.accounts()].filter(({ base_url }) => accountAddress(base_url) === account.base_url)
  const begun = fold.adopting(account)
  if (begun === undefined && keys.some(({ key_hash }) => key_hash === account.key_hash)) return []
  const others = keys.filter(({ key_hash }) => begun === undefined || key_hash === begun.key_hash)
  return [...new Map(others.map((key) => [key.key_hash, key])).values()].map((other) => ({
    account: other,
    slugs: new Set([...fold.slugs(other), ...(record?.all(other.key_hash) ?? []).map(({ slug }) => slug)]),
  }))
}

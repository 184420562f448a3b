import type { Account } from './journal-facts.ts'
import type { JournalFold } from './journal-fold.ts'
import type { RecordFile } from './record-file.ts'

/** Another key that was used with the same address. */
export interface OtherKey {
  readonly account: Account
  readonly slugs: ReadonlySet<string>
}

/** The other keys of an account's address; none once the account itself has uploads. */
export function otherKeys(account: Account, fold: JournalFold, record: RecordFile | undefined): readonly OtherKey[] {
  const recorded = record?.addresses().map((one) => ({ base_url: one.baseUrl, key_hash: one.account })) ?? []
  const keys = [...recorded, ...fold.accounts()].filter(({ base_url }) => base_url === account.base_url)
  if (keys.some(({ key_hash }) => key_hash === account.key_hash)) return []
  return [...new Set(keys.map(({ key_hash }) => key_hash))].map((key_hash) => {
    const other = { ...account, key_hash }
    return {
      account: other,
      slugs: new Set([...fold.slugs(other), ...(record?.all(key_hash) ?? []).map(({ slug }) => slug)]),
    }
  })
}

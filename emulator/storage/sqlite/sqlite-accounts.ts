import { createMemoryAccounts, type MemoryAccounts } from '../memory/memory-records.ts'
import type { AccountRecord } from '../record-store.ts'
import type { SqliteContext } from './sqlite-uploads.ts'

/** Accounts in memory, since every request looks one up; changes are also written to the database. */
export function createSqliteAccounts({ database, commits, lastIds }: SqliteContext): MemoryAccounts {
  const put = database.prepare('REPLACE INTO accounts (id, record) VALUES (?, ?)')
  const deleteRow = database.prepare('DELETE FROM accounts WHERE id = ?')
  const stored = database.prepare('SELECT record FROM accounts ORDER BY id')
  const accounts = createMemoryAccounts()
  const read = () =>
    accounts.load(
      stored.all().map((row): AccountRecord => JSON.parse(String(row['record']))),
      lastIds.get('account'),
    )
  read()
  commits.onUndone(read)

  const save = (account: AccountRecord | undefined) => {
    if (account !== undefined) put.run(account.id, JSON.stringify(account))
    lastIds.set('account', accounts.lastId())
    return account
  }

  return {
    ...accounts,
    insert: (account) =>
      commits.write('lasting', () => {
        const record = accounts.insert(account)
        save(record)
        return record
      }),
    update: (id, changes) => commits.write('lasting', () => save(accounts.update(id, changes))),
    remove: (id) =>
      commits.write('lasting', () => {
        deleteRow.run(id)
        return accounts.remove(id)
      }),
    load(records, lastId) {
      commits.write('lasting', () => {
        database.run('DELETE FROM accounts')
        for (const account of records) put.run(account.id, JSON.stringify(account))
        commits.afterwards(() => {
          accounts.load(records, lastId)
          lastIds.set('account', lastId)
        })
      })
    },
  }
}

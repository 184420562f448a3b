import { createMemoryQuotas, type MemoryQuotas } from '../memory/memory-records.ts'
import type { QuotaState } from '../record-store.ts'
import type { SqliteContext } from './sqlite-uploads.ts'

/** Quota states in memory, since every request changes one; a commit writes the changed ones. */
export function createSqliteQuotas({ database, commits }: SqliteContext): MemoryQuotas {
  const putRow = database.prepare('REPLACE INTO quotas (key_hash, state) VALUES (?, ?)')
  const deleteRow = database.prepare('DELETE FROM quotas WHERE key_hash = ?')
  const quotas = createMemoryQuotas()
  quotas.load(
    database
      .prepare('SELECT key_hash, state FROM quotas')
      .all()
      .map((row) => ({ keyHash: String(row['key_hash']), state: JSON.parse(String(row['state'])) })),
  )
  const changed = new Map<string, QuotaState>()

  commits.onCommit(() => {
    for (const [keyHash, state] of changed) putRow.run(keyHash, JSON.stringify(state))
  })
  commits.onCommitted(() => changed.clear())

  return {
    ...quotas,
    put(keyHash, state) {
      commits.write('minor', () => {
        quotas.put(keyHash, state)
        changed.set(keyHash, state)
      })
    },
    remove(keyHash) {
      commits.write('ordinary', () => {
        quotas.remove(keyHash)
        changed.delete(keyHash)
        deleteRow.run(keyHash)
      })
    },
    load(states) {
      commits.write('lasting', () => {
        database.run('DELETE FROM quotas')
        commits.afterwards(() => {
          quotas.load(states)
          changed.clear()
          for (const { keyHash, state } of states) changed.set(keyHash, state)
        })
      })
    },
  }
}

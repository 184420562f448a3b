import type { Commits } from './commits.ts'
import type { SqlDatabase } from './sql-database.ts'

/** How many requests of each account the log has and has dropped; changed within a write. */
export interface RequestCounts {
  /** An account's kept and dropped requests together. */
  of(accountId: number): number
  kept(): number
  dropped(): number
  droppedByAccount(): readonly { readonly accountId: number | null; readonly count: number }[]
  add(accountId: number | null, change: { readonly kept?: number; readonly dropped?: number }): void
  clear(): void
}

/** Stands for requests without an account, since a primary key is never null. */
const noAccount = 0

const none = { kept: 0, dropped: 0 }

export function createRequestCounts(database: SqlDatabase, commits: Commits): RequestCounts {
  const put = database.prepare('REPLACE INTO request_counts (account_id, kept, dropped) VALUES (?, ?, ?)')
  const counts = new Map<number, { readonly kept: number; readonly dropped: number }>()
  const all = { kept: 0, dropped: 0 }
  const changed = new Set<number>()

  const add: RequestCounts['add'] = (accountId, { kept = 0, dropped = 0 }) => {
    const id = accountId ?? noAccount
    const before = counts.get(id) ?? none
    counts.set(id, { kept: before.kept + kept, dropped: before.dropped + dropped })
    all.kept += kept
    all.dropped += dropped
    changed.add(id)
  }
  const rows = database.prepare('SELECT account_id, kept, dropped FROM request_counts')
  const read = () => {
    counts.clear()
    Object.assign(all, none)
    for (const row of rows.all()) {
      add(Number(row['account_id']), { kept: Number(row['kept']), dropped: Number(row['dropped']) })
    }
    changed.clear()
  }
  read()
  commits.onUndone(read)

  commits.onCommit(() => {
    for (const id of changed) {
      const { kept, dropped } = counts.get(id) ?? none
      put.run(id, kept, dropped)
    }
    changed.clear()
  })

  return {
    of(accountId) {
      const { kept, dropped } = counts.get(accountId) ?? none
      return kept + dropped
    },
    kept: () => all.kept,
    dropped: () => all.dropped,
    droppedByAccount: () =>
      [...counts]
        .filter(([, { dropped }]) => dropped > 0)
        .map(([id, { dropped }]) => ({ accountId: id === noAccount ? null : id, count: dropped })),
    add,
    clear() {
      for (const [id, { kept, dropped }] of counts) add(id, { kept: -kept, dropped: -dropped })
    },
  }
}

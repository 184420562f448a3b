import type { Commits } from './commits.ts'
import type { SqlDatabase } from './sql-database.ts'

/** The highest assigned ids; ids are never reused, even after a removal. */
export interface LastIds {
  get(kind: IdKind): number
  /** Within a write, like {@link LastIds.set}. */
  next(kind: IdKind): number
  set(kind: IdKind, id: number): void
}

export type IdKind = 'account' | 'upload'

export function createLastIds(database: SqlDatabase, commits: Commits): LastIds {
  const put = database.prepare('REPLACE INTO last_ids (kind, id) VALUES (?, ?)')
  const rows = database.prepare('SELECT kind, id FROM last_ids').all()
  const ids = new Map(rows.map((row): [string, number] => [String(row['kind']), Number(row['id'])]))
  const changed = new Set<IdKind>()

  commits.onCommit(() => {
    for (const kind of changed) put.run(kind, ids.get(kind) ?? 0)
  })
  commits.onCommitted(() => changed.clear())

  const get = (kind: IdKind) => ids.get(kind) ?? 0
  const set = (kind: IdKind, id: number) => {
    ids.set(kind, id)
    changed.add(kind)
  }
  return {
    get,
    next(kind) {
      set(kind, get(kind) + 1)
      return get(kind)
    },
    set,
  }
}

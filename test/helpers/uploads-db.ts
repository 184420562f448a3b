import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** What this machine knows of uploads, in the state folder of a home. It is read by SQLite alone: see src/store/runs.ts. */
export function uploadsDb(home: string) {
  const path = join(home, '.local/state/fh/uploads.db')
  function withDatabase<Result>(work: (database: DatabaseSync) => Result): Result {
    const database = new DatabaseSync(path, { timeout: 5_000 })
    try {
      return work(database)
    } finally {
      database.close()
    }
  }
  /** Nothing where there is no store, or not all of it yet. */
  function rows(sql: string): readonly Record<string, unknown>[] {
    if (!existsSync(path)) return []
    return withDatabase((database) => {
      const { tables } = database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() ?? {}
      return tables === 0 ? [] : database.prepare(sql).all()
    })
  }
  return {
    path,
    rows,
    run: (sql: string) => withDatabase((database) => database.exec(sql)),
    /** All that is in it, as one text. */
    text: () => JSON.stringify(['account', 'item', 'upload'].map((table) => rows(`SELECT * FROM ${table}`))),
    /** Makes everything a minute older, so that nothing counts as seen just now. */
    age: () =>
      withDatabase((database) => database.exec('UPDATE upload SET at = at - 60000, seen_at = seen_at - 60000')),
    /** What is being sent, or was when its run ended. */
    open: () => rows("SELECT * FROM item WHERE state <> 'claimed'"),
  }
}

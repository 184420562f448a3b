import type Libsql from 'libsql'
import type { OpenSqlDatabase, SqlRow, SqlValue } from './sql-database.ts'

/** SQLite from the optional dependency libsql; undefined if it is not installed. */
export async function findLibsql(): Promise<OpenSqlDatabase | undefined> {
  try {
    const { default: Database } = await import('libsql')
    return (path) => open(new Database(path))
  } catch {
    return undefined
  }
}

function open(database: Libsql.Database): ReturnType<OpenSqlDatabase> {
  return {
    // Values are passed as one array: a lone null would count as an object of named values.
    prepare(sql) {
      const statement = database.prepare(sql)
      return {
        run: (...values) => void statement.run(values),
        get: (...values) => statement.get(values) as SqlRow | undefined,
        all: (...values) => statement.all(values) as SqlRow[],
      }
    },
    run: (script) => void database.exec(script),
    pragma: (text) => Object.values(database.prepare(`PRAGMA ${text}`).all([])[0] ?? {})[0] as SqlValue | undefined,
    close() {
      // The connection, and its lock, live until its statements are garbage-collected. Leaving WAL mode and reading
      // once more releases the lock.
      const look = database.prepare('SELECT count(*) FROM sqlite_schema')
      for (const pragma of ['journal_mode = DELETE', 'locking_mode = NORMAL'])
        database.prepare(`PRAGMA ${pragma}`).all([])
      look.all([])
      database.close()
    },
  }
}

import type { OpenSqlDatabase, SqlDatabase, SqlRow, SqlValue } from './sql-database.ts'

/** The part of `node:sqlite` in use; older versions of Node lack it. */
interface NodeSqlite {
  readonly DatabaseSync: new (
    path: string,
  ) => {
    prepare(sql: string): {
      run(...values: readonly SqlValue[]): unknown
      get(...values: readonly SqlValue[]): SqlRow | undefined
      all(...values: readonly SqlValue[]): SqlRow[]
    }
    exec(script: string): void
    close(): void
  }
}

/** Node's own SQLite, from 22.13 on; undefined before. */
export function findNodeSqlite(): OpenSqlDatabase | undefined {
  const sqlite = loadQuietly()
  return sqlite && ((path) => open(sqlite, path))
}

function open({ DatabaseSync }: NodeSqlite, path: string): SqlDatabase {
  const database = new DatabaseSync(path)
  return {
    prepare(sql) {
      const statement = database.prepare(sql)
      return {
        run: (...values) => void statement.run(...values),
        get: (...values) => statement.get(...values),
        all: (...values) => statement.all(...values),
      }
    },
    run: (script) => database.exec(script),
    pragma: (text) => Object.values(database.prepare(`PRAGMA ${text}`).get() ?? {})[0],
    close: () => database.close(),
  }
}

/**
 * Loaded through the process, since a bundler would look for a package named sqlite. Suppresses Node's experimental
 * warning, which users cannot act on.
 */
function loadQuietly(): NodeSqlite | undefined {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite' as 'node:fs') as unknown as NodeSqlite | undefined
  } finally {
    process.emitWarning = emitWarning
  }
}

import type { OpenSqlDatabase, SqlDatabase, SqlRow, SqlValue } from './sql-database.ts'

/** What is used of `node:sqlite`; the oldest Node this package runs on does not have it. */
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

/** SQLite as it comes with Node from 22.13 on; undefined before. */
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
 * Loaded through the process, since a bundler would look for a package called sqlite. Node calls it experimental on
 * standard error, which is nothing that whoever runs an emulator could act upon.
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

import { namingDamage } from './damage.ts'
import type { SqlDatabase, SqlRow } from './sql-database.ts'

/** Opens a database file, creating it if needed. Its errors name the damage of a file. */
export function openSqlite(path: string): SqlDatabase {
  return namingDamage(openDatabase(path), path)
}

/** Opens a database file with Node's own SQLite, creating it if needed. */
export function openDatabase(path: string): SqlDatabase {
  const database = new (loadQuietly().DatabaseSync)(path)
  const prepare: SqlDatabase['prepare'] = (sql) => {
    const statement = database.prepare(sql)
    return {
      run: (...values) => void statement.run(...values),
      get: (...values) => statement.get(...values) as SqlRow | undefined,
      all: (...values) => statement.all(...values) as SqlRow[],
    }
  }
  return {
    prepare,
    run: (script) => database.exec(script),
    pragma: (text) => Object.values(prepare(`PRAGMA ${text}`).all()[0] ?? {})[0],
    close: () => database.close(),
  }
}

/**
 * Loaded through the process, since a bundler would look for a package named sqlite. Suppresses Node's experimental
 * warning, which users cannot act on.
 */
function loadQuietly(): typeof import('node:sqlite') {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}

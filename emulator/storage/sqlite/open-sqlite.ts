import { installCommand } from '../../../src/environment/install-command.ts'
import { namingDamage } from './damage.ts'
import type { OpenSqlDatabase, SqlDatabase, SqlRow, SqlValue } from './sql-database.ts'

/**
 * Opens a database with Node's SQLite or libsql.
 * @throws Error saying what to install if there is neither
 */
export async function openSqlite(path: string): Promise<SqlDatabase> {
  const open = findNodeSqlite() ?? (await findLibsql())
  if (open === undefined) {
    throw new Error(
      `Keeping data needs SQLite: use Node 22.13 or newer, which has it, or run ${installCommand('libsql')}`,
    )
  }
  return namingDamage(open(path), path)
}

/** Node's own SQLite, from 22.13 on; undefined before. */
export function findNodeSqlite(): OpenSqlDatabase | undefined {
  const sqlite = loadQuietly()
  return sqlite && ((path) => adapt(new sqlite.DatabaseSync(path), (values) => values))
}

/** SQLite from the optional package libsql; undefined if it is not installed. */
export async function findLibsql(): Promise<OpenSqlDatabase | undefined> {
  try {
    const { default: Database } = await import('libsql')
    // Values are passed as one array: a lone null would count as an object of named values.
    return (path) => releasingLock(adapt(new Database(path) as unknown as Library, (values) => [values]))
  } catch {
    return undefined
  }
}

/** The part of both libraries in use. */
interface Library {
  prepare(sql: string): {
    run(...values: readonly unknown[]): unknown
    get(...values: readonly unknown[]): unknown
    all(...values: readonly unknown[]): unknown
  }
  exec(script: string): unknown
  close(): unknown
}

/** @param pass how the library takes the values of a statement */
function adapt(library: Library, pass: (values: readonly SqlValue[]) => readonly unknown[]): SqlDatabase {
  const prepare: SqlDatabase['prepare'] = (sql) => {
    const statement = library.prepare(sql)
    return {
      run: (...values) => void statement.run(...pass(values)),
      get: (...values) => statement.get(...pass(values)) as SqlRow | undefined,
      all: (...values) => statement.all(...pass(values)) as SqlRow[],
    }
  }
  return {
    prepare,
    run: (script) => void library.exec(script),
    pragma: (text) => Object.values(prepare(`PRAGMA ${text}`).all()[0] ?? {})[0],
    close: () => void library.close(),
  }
}

/**
 * A connection of libsql, and its lock, live until its statements are garbage-collected. Leaving WAL mode and reading
 * once more releases the lock.
 */
function releasingLock(database: SqlDatabase): SqlDatabase {
  return {
    ...database,
    close() {
      try {
        database.run('PRAGMA journal_mode = DELETE; PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_schema')
      } finally {
        database.close()
      }
    },
  }
}

/**
 * Loaded through the process, since a bundler would look for a package named sqlite. Suppresses Node's experimental
 * warning, which users cannot act on.
 */
function loadQuietly(): { readonly DatabaseSync: new (path: string) => Library } | undefined {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite' as 'node:fs') as unknown as ReturnType<typeof loadQuietly>
  } finally {
    process.emitWarning = emitWarning
  }
}

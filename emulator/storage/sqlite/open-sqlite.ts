import { findLibsql } from './libsql.ts'
import { findNodeSqlite } from './node-sqlite.ts'
import type { SqlDatabase } from './sql-database.ts'

/**
 * Opens a database with Node's SQLite or libsql.
 * @throws Error saying what to install if there is neither
 */
export async function openSqlite(path: string): Promise<SqlDatabase> {
  const open = findNodeSqlite() ?? (await findLibsql())
  if (open === undefined) {
    throw new Error('Keeping data needs SQLite: use Node 22.13 or newer, which has it, or run npm install libsql')
  }
  return open(path)
}

import { isEmpty, storedVersion } from './schema.ts'
import type { SqlDatabase } from './sql-database.ts'

/**
 * Makes a database this process's alone, writing nothing yet, so that it can be done on a full disk. The lock is SQLite's
 * own on the file, so it ends with the process, however that ends. It is waited for a moment: of two processes that start
 * together one gets it, and a killed one may still be going.
 *
 * @returns whether anything was ever kept in it
 * @throws Error saying why where it is not ours, is too new, or is in use (see `isBusy`)
 */
export function takeOver(database: SqlDatabase): 'empty' | 'used' {
  database.pragma('busy_timeout = 500')
  database.pragma('locking_mode = EXCLUSIVE')
  // In that mode a lock outlives the transaction it was taken for.
  database.run('BEGIN EXCLUSIVE; COMMIT')
  storedVersion(database)
  return isEmpty(database) ? 'empty' : 'used'
}

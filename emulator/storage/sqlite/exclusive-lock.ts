import { isEmpty, storedVersion } from './schema.ts'
import type { SqlDatabase } from './sql-database.ts'

/**
 * Locks a database for this process without writing, so it works on a full disk. The lock is SQLite's file lock and
 * ends with the process. Waits half a second: another process may be starting, or a killed one may still be ending.
 *
 * @returns whether the database has any content
 * @throws Error if it is not an emulator's, was written by a newer release, or is in use (see `isBusy`)
 */
export function lockExclusively(database: SqlDatabase): 'empty' | 'used' {
  database.pragma('busy_timeout = 500')
  database.pragma('locking_mode = EXCLUSIVE')
  // In this mode the lock outlives its transaction.
  database.run('BEGIN EXCLUSIVE; COMMIT')
  storedVersion(database)
  return isEmpty(database) ? 'empty' : 'used'
}

import { onTestFinished } from 'vitest'
import type { LogLimits } from '../../../../emulator/storage/map-requests.ts'
import { openDatabase } from '../../../../emulator/storage/sqlite/open-sqlite.ts'
import { lockExclusively } from '../../../../emulator/storage/sqlite/schema.ts'
import { openSqliteRecords, type SqliteRecords } from '../../../../emulator/storage/sqlite/sqlite-records.ts'

/** Records in a file; closed at the latest when the test ends. */
export async function openRecords(path: string, limits?: LogLimits, open = openDatabase): Promise<SqliteRecords> {
  const database = open(path)
  lockExclusively(database)
  const records = await openSqliteRecords(database, path, limits)
  return closedWithTest(records)
}

/** The same, closed at the latest when the test ends. */
export function closedWithTest<Store extends { close(): Promise<void> }>(store: Store): Store {
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= store.close()
    return closed
  }
  onTestFinished(close)
  return { ...store, close }
}

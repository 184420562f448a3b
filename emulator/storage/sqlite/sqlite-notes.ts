import type { KeyValueRecords } from '../record-store.ts'
import type { SqliteContext } from './sqlite-uploads.ts'

export function createSqliteNotes({ database, commits }: SqliteContext): KeyValueRecords {
  const putRow = database.prepare('REPLACE INTO notes (name, value) VALUES (?, ?)')
  /** Noted and not known to be committed. */
  const noted = new Map<string, unknown>()
  commits.onCommit(() => {
    for (const [name, value] of noted) putRow.run(name, JSON.stringify(value))
  })
  commits.onCommitted(() => noted.clear())
  const getRow = database.prepare('SELECT value FROM notes WHERE name = ?')
  return {
    get(name) {
      if (noted.has(name)) return noted.get(name)
      const row = getRow.get(name)
      return row === undefined ? undefined : JSON.parse(String(row['value']))
    },
    put(name, value) {
      noted.set(name, value)
      commits.write('minor', () => {})
    },
  }
}

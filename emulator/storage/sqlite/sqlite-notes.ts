import type { NoteRecords } from '../record-store.ts'
import type { SqliteContext } from './sqlite-uploads.ts'

export function createSqliteNotes({ database, commits }: SqliteContext): NoteRecords {
  const putRow = database.prepare('REPLACE INTO notes (name, value) VALUES (?, ?)')
  const getRow = database.prepare('SELECT value FROM notes WHERE name = ?')
  return {
    get(name) {
      const row = getRow.get(name)
      return row === undefined ? undefined : JSON.parse(String(row['value']))
    },
    put(name, value) {
      commits.write('ordinary', () => putRow.run(name, JSON.stringify(value)))
    },
  }
}

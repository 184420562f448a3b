import type { SqlDatabase } from './sql-database.ts'

/** A part of the records that changes with every request. */
export interface TurnPart {
  /** What changed since the latest commit: values in JSON with commas between them, or nothing. */
  changes(): string
  /** Makes changes in memory that an earlier process wrote here. */
  repeat(changes: readonly unknown[]): void
}

/** Of texts since the tables were last written: a hundred requests or more, which a start repeats in milliseconds. */
const mostLetters = 65_536

/**
 * What turns changed that need no table of their own at once: a row each, which is one page to write, until a commit
 * writes the tables.
 */
export function createTurnRows(database: Pick<SqlDatabase, 'prepare'>) {
  const insertRow = database.prepare('INSERT INTO turns (changes) VALUES (?)')
  const deleteRows = database.prepare('DELETE FROM turns')
  const allRows = database.prepare('SELECT changes FROM turns ORDER BY id')
  const parts = new Map<string, TurnPart>()
  let letters = 0

  return {
    join: (name: string, part: TurnPart) => void parts.set(name, part),
    /** Writes what the turn changed. */
    addChanges() {
      let text = ''
      for (const [name, part] of parts) {
        const changes = part.changes()
        if (changes !== '') text += `${text && ','}"${name}":[${changes}]`
      }
      if (text === '') return
      insertRow.run(`{${text}}`)
      letters += text.length
    },
    /** Whether the tables take all changes with the next commit. */
    areMany: () => letters > mostLetters,
    areNone: () => letters === 0,
    /** Call within the transaction that writes the tables. */
    removeAll() {
      if (letters > 0) deleteRows.run()
    },
    /** Call when that is committed. */
    removed() {
      letters = 0
    },
    /** Call at the start: the process before may have been killed. */
    repeatAll() {
      for (const row of allRows.all()) {
        const text = String(row['changes'])
        letters += text.length
        for (const [name, changes] of Object.entries<readonly unknown[]>(JSON.parse(text))) {
          parts.get(name)?.repeat(changes)
        }
      }
    },
  }
}

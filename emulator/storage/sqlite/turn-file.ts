import { readFileSync, writeSync } from 'node:fs'
import { isObject, parseJson } from '../../../src/checks/json.ts'
import { restoreAdvice } from './damage.ts'
import type { SqlDatabase } from './sql-database.ts'

/** A part of the records that changes with every request. */
export interface TurnPart {
  /** What changed since the latest commit, as JSON can have it. */
  changes(): readonly unknown[]
  isSound(change: unknown): boolean
  /** Makes changes in memory that an earlier process wrote here. */
  repeat(changes: readonly unknown[]): void
}

/** A start repeats so many in some ten milliseconds, and a full disk's reserve has room for them in the tables. */
const mostBytes = 262_144

/**
 * What turns changed that need no table at once: a line each, until a commit writes the tables. It takes the end of a
 * process to read them, and no sync: what was written is the system's.
 *
 * The lines in force are the first of the file and have the number of the tables, which a commit counts up: the next line
 * is written over the first, and what is left of earlier ones has another number. It ends a line too, since a power
 * failure may leave a line's beginning alone.
 *
 * @param file open to be read and written
 */
export function createTurnFile(database: Pick<SqlDatabase, 'prepare'>, file: number) {
  const putNumber = database.prepare("REPLACE INTO notes (name, value) VALUES ('turns', ?)")
  const note = database.prepare("SELECT value FROM notes WHERE name = 'turns'")
  const parts = new Map<string, TurnPart>()
  let number = 0
  let bytes = 0
  const isSound = (turn: unknown): turn is Readonly<Record<string, readonly unknown[]>> =>
    isObject(turn) &&
    Object.entries(turn).every(
      ([name, list]) => Array.isArray(list) && list.every((change) => parts.get(name)?.isSound(change)),
    )

  return {
    join: (name: string, part: TurnPart) => void parts.set(name, part),
    /**
     * Writes what the turn changed.
     * @throws Error if the disk is full
     */
    addChanges() {
      const turn: Record<string, readonly unknown[]> = {}
      for (const [name, part] of parts) {
        const changes = part.changes()
        if (changes.length > 0) turn[name] = changes
      }
      const line = `${number}${JSON.stringify(turn)}${number}\n`
      const written = writeSync(file, line, bytes)
      // What was written of it lacks its end, and the next line is written over it.
      if (written < Buffer.byteLength(line)) throw new Error('there is no room on the disk')
      bytes += written
    },
    /** Whether the tables take all changes with the next commit. */
    areMany: () => bytes > mostBytes,
    areNone: () => bytes === 0,
    /** Call within the transaction that writes the tables. */
    removeAll() {
      if (bytes > 0) putNumber.run(JSON.stringify({ number: number + 1 }))
    },
    /** Call when that is committed. */
    removed() {
      if (bytes > 0) number += 1
      bytes = 0
    },
    /** Call when the tables were read: the process before may have been killed. */
    repeatAll() {
      number = Number(Object(parseJson(String(note.get()?.['value']))).number ?? 0)
      for (const line of readFileSync(file, 'utf8').split('\n')) {
        const [, of, text = ''] = /^(\d+)(\{.*\})\1$/s.exec(line) ?? []
        const turn = parseJson(text)
        if (Number(of) !== number || turn === undefined) return
        if (!isSound(turn)) throw new Error(`a line of its records.db-turns is damaged; ${restoreAdvice}`)
        for (const [name, changes] of Object.entries(turn)) parts.get(name)?.repeat(changes)
        bytes += Buffer.byteLength(line) + 1
      }
    },
  }
}

export type TurnFile = ReturnType<typeof createTurnFile>

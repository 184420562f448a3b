import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite'
import { quoted } from '../../src/checks/quoted.ts'

/** Ends every error about a damaged database. */
export const restoreAdvice = 'restore that file from a copy, or choose another folder'

export type Row = Record<string, SQLOutputValue>

/** @throws Error naming the row if the text is damaged */
export function parsedRow<Value>(
  json: SQLOutputValue | undefined,
  table: string,
  id: SQLOutputValue | undefined,
): Value {
  try {
    return JSON.parse(String(json))
  } catch (cause) {
    throw new Error(`the row ${quoted(id)} of ${table} in its records.db is damaged; ${restoreAdvice}`, { cause })
  }
}

/**
 * Finds records in a table that has them as JSON.
 * @param read makes the record of its JSON and the row's id
 */
export function finderIn<Value>(
  database: DatabaseSync,
  table: string,
  read = (json: string, id: number): Value => parsedRow(json, table, id),
) {
  const select = (where: string) => database.prepare(`SELECT id, record FROM ${table} ${where}`)
  const recordOf = ({ id, record }: Row) => read(String(record), id as number)
  return {
    /** @param where of one row, or of several in their order */
    one(where: string) {
      const statement = select(where)
      return (...values: readonly SQLInputValue[]): Value | undefined => {
        const row = statement.get(...values)
        return row === undefined ? undefined : recordOf(row)
      }
    },
    many(where: string) {
      const statement = select(where)
      return (...values: readonly SQLInputValue[]): readonly Value[] => statement.all(...values).map(recordOf)
    },
  }
}

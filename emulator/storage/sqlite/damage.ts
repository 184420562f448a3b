import { dirname } from 'node:path'
import { quoted } from '../../../src/checks/quoted.ts'
import { DataFolderError } from '../folder/data-folder.ts'
import { damageCode, isDamage, type SqlDatabase } from './sql-database.ts'

/** Ends every error about a damaged database. */
export const restoreAdvice = 'restore that file from a copy, or choose another folder'

/** SQLite says only that some page is malformed: names the folder and the damage in the errors of a database. */
export function namingDamage(database: SqlDatabase, path: string): SqlDatabase {
  const named = <Result>(call: () => Result): Result => {
    try {
      return call()
    } catch (cause) {
      if (!isDamage(cause)) throw cause
      const damage = findDamage(database) ?? quoted(Object(cause).message)
      const words = `The records.db of the folder ${dirname(path)} is damaged: ${damage}; ${restoreAdvice}`
      const error = new DataFolderError(words, { cause })
      throw Object.assign(error, { errcode: damageCode })
    }
  }
  return {
    prepare(sql) {
      const statement = named(() => database.prepare(sql))
      return {
        run: (...values) => named(() => statement.run(...values)),
        get: (...values) => named(() => statement.get(...values)),
        all: (...values) => named(() => statement.all(...values)),
      }
    },
    run: (script) => named(() => database.run(script)),
    pragma: (text) => named(() => database.pragma(text)),
    close: () => named(() => database.close()),
  }
}

/** The first damaged page and its table or index; undefined if the check of the pages finds none. */
function findDamage(database: SqlDatabase): string | undefined {
  try {
    const [, tree, page] = /Tree (\d+) page (\d+)/.exec(String(database.pragma('quick_check(1)'))) ?? []
    if (tree === undefined) return undefined
    const owner = database.prepare('SELECT hex(name) AS name FROM sqlite_schema WHERE rootpage = ?').get(Number(tree))
    return `page ${page} of ${Buffer.from(String(owner?.['name']), 'hex').toString()} cannot be read`
  } catch {
    return undefined
  }
}

import { dirname } from 'node:path'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { quoted } from '../../src/checks/quoted.ts'
import { DataFolderError } from './folder.ts'

/** Of the tables: another build's are refused. Those of releases before this one had versions up to 6. */
const version = 7
/** Identifies a database as the emulator's; an arbitrary number. */
const applicationId = 0x66_68_65_6d

/** Ends every error about a damaged database. */
const restoreAdvice = 'restore that file from a copy, or choose another folder'

/**
 * Opens a database without looking at it; `:memory:` is one that ends with the process. Node's experimental warning, of
 * which users can make nothing, is held back.
 */
export function openDatabase(path: string): DatabaseSync {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    // Loaded through the process, since a bundler would look for a package named sqlite.
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
    return new DatabaseSync(path)
  } finally {
    process.emitWarning = emitWarning
  }
}

/**
 * Locks a database file for this process without writing, so that it works on a full disk. The lock is SQLite's and ends
 * with the process. Waits half a second: another process may be starting, or a killed one may still be ending.
 * @returns whether it has any content
 * @throws Error if it is not an emulator's, is of another version, or is in use (see {@link isBusy})
 */
export function lockDatabase(database: DatabaseSync): 'empty' | 'used' {
  // In this mode the lock outlives its transaction.
  database.exec('PRAGMA busy_timeout = 500; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT')
  const found = pragma(database, 'user_version')
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
  if (!isEmpty && pragma(database, 'application_id') !== applicationId) {
    throw new Error('it is another program’s database')
  }
  if (found > version) {
    throw new Error(`a newer release wrote it (version ${found}, this one knows ${version}): use that release`)
  }
  if (found > 0 && found < version) {
    throw new Error(
      `an earlier release wrote its records.db (version ${found}, this one reads ${version}): choose another folder`,
    )
  }
  return isEmpty ? 'empty' : 'used'
}

/** Gives a database its tables, in one transaction, unless it has them. @returns whether it had none */
export function makeTables(database: DatabaseSync, schema: string): boolean {
  if (pragma(database, 'user_version') === version) return false
  database.exec(
    `BEGIN EXCLUSIVE; ${schema} PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}; COMMIT`,
  )
  return true
}

/** Reads the first row of each table: most damage shows there. */
export function touchTables(database: DatabaseSync): void {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0").all()
  for (const { name } of tables) database.prepare(`SELECT * FROM ${name} LIMIT 1`).get()
}

/** SQLite says only that some page is malformed. */
export function namedDamage(database: DatabaseSync, path: string, cause: unknown): unknown {
  if (primaryCode(cause) !== 11) return cause
  const damage = findDamage(database) ?? quoted(Object(cause).message)
  const words = `The records.db of the folder ${dirname(path)} is damaged: ${damage}; ${restoreAdvice}`
  return new DataFolderError(words, { cause })
}

/** The first damaged page and its table or index; undefined if the check of the pages finds none. */
function findDamage(database: DatabaseSync): string | undefined {
  try {
    const [found = ''] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})
    const [, tree, page] = /Tree (\d+) page (\d+)/.exec(String(found)) ?? []
    if (tree === undefined) return undefined
    const owner = database.prepare('SELECT name FROM sqlite_schema WHERE rootpage = ?').get(Number(tree))
    return `page ${page} of ${owner?.['name']} cannot be read`
  } catch {
    return undefined
  }
}

/** Whether an error means that another connection has locked the database. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === 5
}

function primaryCode(error: unknown): number {
  return Number(Object(error).errcode) & 0xff
}

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name])
}

/** @throws Error naming the row if the text is damaged */
export function parsedRow<Value extends object>(
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

/** An SQLite database as the records need it, whichever library opens it. Every call is synchronous. */
export interface SqlDatabase {
  /** Prepared once and run often. */
  prepare(sql: string): SqlStatement
  /** Runs one or more statements that have no parameters and no rows. */
  run(script: string): void
  /** Sets or reads one of SQLite's own switches, and tells what it is now where SQLite says so. */
  pragma(text: string): SqlValue | undefined
  close(): void
}

export interface SqlStatement {
  run(...values: readonly SqlValue[]): void
  get(...values: readonly SqlValue[]): SqlRow | undefined
  all(...values: readonly SqlValue[]): readonly SqlRow[]
}

export type SqlValue = string | number | null

/** By the names of the columns. */
export type SqlRow = Readonly<Record<string, SqlValue>>

/** Opens the database in a file, and makes the file where there is none. */
export type OpenSqlDatabase = (path: string) => SqlDatabase

/** Whether an error says that another connection holds the database. */
export function isBusy(error: unknown): boolean {
  const { code, errcode } = Object(error)
  return code === 'SQLITE_BUSY' || errcode === 5
}

/**
 * Whether an error says that the database itself failed, as with a full disk, rather than that it was given something
 * that it does not take.
 */
export function isDatabaseFailure(error: unknown): boolean {
  const { rawCode, errcode = rawCode } = Object(error)
  // The lowest byte is the kind of an error, and 19 a constraint that was not met.
  return typeof errcode === 'number' && (errcode & 0xff) !== 19
}

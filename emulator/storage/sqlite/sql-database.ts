/** An SQLite database, independent of the library that opens it. Every call is synchronous. */
export interface SqlDatabase {
  /** Prepared once, run often. */
  prepare(sql: string): SqlStatement
  /** Runs statements without parameters and results. */
  run(script: string): void
  /** Sets or reads a pragma and returns its value, if SQLite returns one. */
  pragma(text: string): SqlValue | undefined
  close(): void
}

export interface SqlStatement {
  run(...values: readonly SqlValue[]): void
  get(...values: readonly SqlValue[]): SqlRow | undefined
  all(...values: readonly SqlValue[]): readonly SqlRow[]
}

export type SqlValue = string | number | null

/** By column name. */
export type SqlRow = Readonly<Record<string, SqlValue>>

/** Opens a database file, creating it if needed. */
export type OpenSqlDatabase = (path: string) => SqlDatabase

/** Whether an error means that another connection has locked the database. */
export function isBusy(error: unknown): boolean {
  const { code, errcode } = Object(error)
  return code === 'SQLITE_BUSY' || errcode === 5
}

/** Whether an error came from the database itself, such as a full disk, rather than from invalid values. */
export function isDatabaseFailure(error: unknown): boolean {
  const { rawCode, errcode = rawCode } = Object(error)
  // The lowest byte is the primary error code; 19 is a violated constraint.
  return typeof errcode === 'number' && (errcode & 0xff) !== 19
}

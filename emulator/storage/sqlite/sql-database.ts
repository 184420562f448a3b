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

/** Bytes are what a library returns of a BLOB: node:sqlite the array, libsql the buffer. */
export type SqlValue = string | number | null | Uint8Array | ArrayBuffer

/** By column name. */
export type SqlRow = Readonly<Record<string, SqlValue>>

/** Opens a database file, creating it if needed. */
export type OpenSqlDatabase = (path: string) => SqlDatabase

/** Whether an error means that another connection has locked the database. */
export function isBusy(error: unknown): boolean {
  const { code, errcode } = Object(error)
  return code === 'SQLITE_BUSY' || errcode === 5
}

/** SQLite's primary code for a damaged file. */
export const damageCode = 11

export function isDamage(error: unknown): boolean {
  const { rawCode, errcode = rawCode } = Object(error)
  // Its lowest byte.
  return typeof errcode === 'number' && (errcode & 0xff) === damageCode
}

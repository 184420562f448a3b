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

/** Whether an error came from the database itself, such as a full disk, rather than from invalid values. */
export function isDatabaseFailure(error: unknown): boolean {
  // A violated constraint.
  return ![undefined, 19].includes(primaryCode(error))
}

/** SQLite's primary code for a damaged file. */
export const damageCode = 11

export function isDamage(error: unknown): boolean {
  return primaryCode(error) === damageCode
}

/** SQLite's: the lowest byte of the error code. Undefined for other errors. */
function primaryCode(error: unknown): number | undefined {
  const { rawCode, errcode = rawCode } = Object(error)
  return typeof errcode === 'number' ? errcode & 0xff : undefined
}

/** An SQLite database. Every call is synchronous. */
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

export type SqlValue = string | number | null | Uint8Array

/** By column name. */
export type SqlRow = Readonly<Record<string, SqlValue>>

/** Whether an error means that another connection has locked the database. */
export function isBusy(error: unknown): boolean {
  return Object(error).errcode === 5
}

/** SQLite's primary code for a damaged file. */
export const damageCode = 11

export function isDamage(error: unknown): boolean {
  const { errcode } = Object(error)
  // Its lowest byte.
  return typeof errcode === 'number' && (errcode & 0xff) === damageCode
}

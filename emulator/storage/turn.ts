import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import { setImmediate as inNextTurn } from 'node:timers'
import { reasonOf } from '../../src/system/system-errors.ts'
import { EmulatorError } from '../emulator-error.ts'

/** The database could not be written; all writes of the turn are undone. */
export class UnwrittenError extends EmulatorError {
  override readonly name = 'UnwrittenError'

  constructor(cause: unknown) {
    super('data-not-written', `The data could not be written: ${reasonOf(cause)}`, { cause })
  }
}

export type Row = Record<string, SQLOutputValue>

/** All writes of one turn of the event loop; `error` is that of the first which failed, and undoes them. */
type Turn = { error?: unknown; readonly ended: PromiseWithResolvers<void> }

/**
 * A database that commits all writes of one turn of the event loop together: what is written without awaiting stays
 * together, and requests share the cost of a commit. A turn that fails is undone; the next tries again, since a full disk
 * may have room by then.
 */
export class Database {
  readonly #sqlite: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  #open: Turn | undefined
  /** Whether the latest turn failed. */
  #isFailing = false
  /** Called after an undone turn: reads again what is held in memory. */
  onUndone = () => {}

  constructor(sqlite: DatabaseSync) {
    this.#sqlite = sqlite
  }

  /** Prepared when it is first used: most emulators of a test use few of them. */
  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const prepared = this.#sqlite.prepare(sql)
    this.#statements.set(sql, prepared)
    return prepared
  }

  get(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values)
  }

  all(sql: string, ...values: readonly SQLInputValue[]): Row[] {
    return this.#statement(sql).all(...values)
  }

  /** The same for a question that is not asked again. */
  ask(sql: string, ...values: readonly SQLInputValue[]): Row[] {
    return this.#sqlite.prepare(sql).all(...values)
  }

  /**
   * Writes what survives the end of the process once the turn has ended.
   * @throws UnwrittenError if it fails, or an earlier write of this turn did
   */
  write(sql: string, ...values: readonly SQLInputValue[]) {
    const turn = this.#open ?? this.#begin()
    try {
      // SQLite may have ended the transaction with the first error: nothing may be written behind it.
      if (turn.error !== undefined) throw turn.error
      if (!this.#sqlite.isTransaction) this.#statement('BEGIN IMMEDIATE').run()
      return this.#statement(sql).run(...values)
    } catch (cause) {
      turn.error = cause
      throw new UnwrittenError(cause)
    }
  }

  /** The highest id that a table ever assigned. */
  lastId(table: string): number {
    return Number(this.get('SELECT seq FROM sqlite_sequence WHERE name = ?', table)?.['seq'] ?? 0)
  }

  /** Gives SQL a function of its own. */
  define(name: string, of: (...values: SQLInputValue[]) => SQLInputValue): void {
    this.#sqlite.function(name, { deterministic: true }, of)
  }

  #begin(): Turn {
    if (!this.#sqlite.isOpen) throw new UnwrittenError(new Error('the emulator is closed'))
    const turn: Turn = { ended: Promise.withResolvers() }
    // Not every turn is waited for.
    turn.ended.promise.catch(() => {})
    this.#open = turn
    inNextTurn(() => {
      if (this.#open === turn) this.#end(turn)
    })
    return turn
  }

  #end(turn: Turn): void {
    this.#open = undefined
    try {
      if (turn.error !== undefined) throw turn.error
      this.#statement('COMMIT').run()
      this.#isFailing = false
      turn.ended.resolve()
    } catch (cause) {
      const error = new UnwrittenError(cause)
      turn.ended.reject(error)
      if (this.#sqlite.isTransaction) this.#sqlite.exec('ROLLBACK')
      // Clients learn no details, so the emulator's output shows them; once, however many requests fail one after another.
      if (!this.#isFailing) process.emitWarning(error)
      this.#isFailing = true
      this.onUndone()
    }
  }

  /**
   * Resolves once what this turn wrote is kept.
   * @throws UnwrittenError if it was undone
   */
  readonly flushed = async (): Promise<void> => {
    await this.#open?.ended.promise
  }

  /** Ends the turn. @throws UnwrittenError */
  async close(): Promise<void> {
    const last = this.flushed()
    if (this.#open !== undefined) this.#end(this.#open)
    this.#sqlite.close()
    await last
  }
}

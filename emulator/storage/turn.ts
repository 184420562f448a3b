import { closeSync, fdatasyncSync, openSync } from 'node:fs'
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

/** Whether what was written is kept, and whether a power failure cannot undo it any more. */
export interface TurnEnd {
  readonly isKept: boolean
  readonly isSafe: boolean
}

/** All writes of one turn of the event loop. */
interface Turn {
  /** Whether it survives a power failure too. */
  isLasting: boolean
  /** Why it will be undone, from the first write that failed. */
  error?: unknown
  /** Whether a request waits for one of its writes. */
  isAwaited: boolean
  readonly followers: ((end: TurnEnd) => void)[]
  readonly ended: PromiseWithResolvers<void>
}

/**
 * A database that commits all writes of one turn of the event loop together: what is written without awaiting stays
 * together, and requests share the cost of a commit. A turn that fails is undone; the next tries again, since a full disk
 * may have room by then.
 */
export class Database {
  readonly #sqlite: DatabaseSync
  /** SQLite's log of the database; undefined in memory. */
  readonly #logPath: string | undefined
  #log: number | undefined
  readonly #statements = new Map<string, StatementSync>()
  #open: Turn | undefined
  /** How many turns have ended. */
  #ended = 0
  /** Whether the latest turn failed. */
  #isFailing = false
  /** The latest failed turn that a request waits for, counted from zero. */
  #failure: { readonly turn: number; readonly error: UnwrittenError } | undefined
  /** Called after an undone turn: reads again what is held in memory. */
  onUndone = () => {}

  /** @param path of its file; or `:memory:` */
  constructor(sqlite: DatabaseSync, path: string) {
    this.#sqlite = sqlite
    this.#logPath = path === ':memory:' ? undefined : `${path}-wal`
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
    turn.isAwaited = true
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

  /**
   * Runs writes that no request waits for. If one fails, the turn is undone; only requests that wait for other writes of
   * it fail.
   */
  unawaited(run: () => void): void {
    const wasAwaited = this.#open?.isAwaited ?? false
    try {
      run()
    } catch (error) {
      if (!(error instanceof UnwrittenError)) throw error
    }
    if (this.#open !== undefined) this.#open.isAwaited = wasAwaited
  }

  /** As {@link Database.write}, and survives a power failure too. */
  writeLasting(sql: string, ...values: readonly SQLInputValue[]) {
    const written = this.write(sql, ...values)
    if (this.#open !== undefined) this.#open.isLasting = true
    return written
  }

  /** Gives SQL a function of its own. */
  define(name: string, of: (...values: SQLInputValue[]) => SQLInputValue): void {
    this.#sqlite.function(name, { deterministic: true }, of)
  }

  /** Calls a function once what is written in this turn is kept or undone; at once if nothing is. */
  afterTurn(follow: (end: TurnEnd) => void): void {
    if (this.#open === undefined) follow({ isKept: true, isSafe: true })
    else this.#open.followers.push(follow)
  }

  #begin(): Turn {
    if (!this.#sqlite.isOpen) throw new UnwrittenError(new Error('the emulator is closed'))
    const turn: Turn = { isLasting: false, isAwaited: false, followers: [], ended: Promise.withResolvers() }
    this.#open = turn
    inNextTurn(() => {
      if (this.#open === turn) this.#end(turn)
    })
    return turn
  }

  #end(turn: Turn): void {
    let isKept = false
    let isSafe = false
    try {
      if (turn.error !== undefined) throw turn.error
      if (this.#sqlite.isTransaction) this.#statement('COMMIT').run()
      isKept = true
      if (turn.isLasting && this.#logPath !== undefined) this.#sync(this.#logPath)
      isSafe = true
      this.#isFailing = false
    } catch (cause) {
      if (this.#sqlite.isOpen && this.#sqlite.isTransaction) this.#sqlite.exec('ROLLBACK')
      const error = new UnwrittenError(cause)
      // Clients learn no details, so the emulator's output shows them; once, however many requests fail one after another.
      if (!this.#isFailing) process.emitWarning(error)
      this.#isFailing = true
      if (turn.isAwaited) this.#failure = { turn: this.#ended, error }
    }
    this.#open = undefined
    this.#ended += 1
    // Requests go on after this, whatever fails below.
    turn.ended.resolve()
    if (!isKept) this.onUndone()
    for (const follow of turn.followers) follow({ isKept, isSafe })
  }

  #sync(logPath: string): void {
    try {
      this.#log ??= openSync(logPath, 'r+')
      fdatasyncSync(this.#log)
    } catch {
      // It is unknown what of the log is on the disk: this writes all of it to the database's own file.
      this.#sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    }
  }

  /** The current position, for {@link Database.flushed}. */
  mark(): number {
    return this.#ended
  }

  /**
   * Resolves once the turns of all earlier writes have ended.
   * @param since a position from {@link Database.mark}; default: the current one
   * @throws UnwrittenError if a turn since then failed
   */
  async flushed(since = this.mark()): Promise<void> {
    await this.#open?.ended.promise
    if (this.#failure !== undefined && this.#failure.turn >= since) throw this.#failure.error
  }

  /** Ends the turn. @throws UnwrittenError */
  async close(): Promise<void> {
    const since = this.mark()
    // What follows a turn may write again.
    while (this.#open !== undefined) this.#end(this.#open)
    if (this.#log !== undefined) closeSync(this.#log)
    this.#sqlite.close()
    await this.flushed(since)
  }
}

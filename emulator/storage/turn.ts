import { closeSync, existsSync, fdatasyncSync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as inNextTurn } from 'node:timers'
import { reasonOf } from '../../src/system/system-errors.ts'
import { EmulatorError } from '../emulator-error.ts'

/** The database could not be written; all writes of the turn are undone. */
export class UnwrittenError extends EmulatorError {
  override readonly name = 'UnwrittenError'

  constructor(reason: string, options: ErrorOptions) {
    super('data-not-written', `The data could not be written: ${reason}`, options)
  }
}

/**
 * How much a write matters. `minor`: a request's entry in the log and its charge; if it is lost, no request fails.
 * `ordinary`: survives the end of the process. `lasting`: survives a power failure too.
 */
export type Weight = 'minor' | 'ordinary' | 'lasting'

const weights: readonly Weight[] = ['minor', 'ordinary', 'lasting']

/** All writes of one turn of the event loop. */
interface Turn {
  weight: Weight
  /** Why it will be undone, from the first write that failed. */
  error?: unknown
  readonly ended: PromiseWithResolvers<void>
}

/**
 * Commits all writes of one turn of the event loop together: what is written without awaiting stays together, and
 * requests share the cost of a commit. A turn that fails is undone; the next tries again, since a full disk may have room
 * by then.
 */
export class Turns {
  readonly #database: DatabaseSync
  readonly #path: string
  readonly #isFile: boolean
  /** SQLite's log of the database: what is in it is on the disk after a sync. */
  #log: number | undefined
  readonly #begin
  readonly #commit
  #open: Turn | undefined
  #count = 0
  /** The latest turn that failed. */
  #failure: { readonly at: number; readonly error: UnwrittenError } | undefined
  #isWarned = false
  /** Called before a commit, to write what the turn has gathered, and after an undone turn, to read it again. */
  onCommit = () => {}
  onUndone = () => {}

  /** @param path of the database's file, whose log is beside it; or `:memory:` */
  constructor(database: DatabaseSync, path: string) {
    this.#database = database
    this.#path = path
    this.#begin = database.prepare('BEGIN IMMEDIATE')
    this.#commit = database.prepare('COMMIT')
    this.#isFile = path !== ':memory:'
  }

  /**
   * Runs statements that write.
   * @throws UnwrittenError if one fails, or an earlier one of this turn did
   */
  write<Result>(weight: Weight, run: () => Result): Result {
    const turn = this.#open ?? this.#openTurn()
    if (weights.indexOf(weight) > weights.indexOf(turn.weight)) turn.weight = weight
    try {
      // SQLite may have ended the transaction with the first error: nothing may be written behind it.
      if (turn.error !== undefined) throw turn.error
      if (!this.#database.isTransaction) this.#begin.run()
      return run()
    } catch (cause) {
      turn.error = cause
      throw this.#unwritten(cause)
    }
  }

  /** Runs statements of minor weight; if one fails, the turn is undone, and no caller need know. */
  note(run: () => void): void {
    try {
      this.write('minor', run)
    } catch {
      // The end of the turn says so.
    }
  }

  #openTurn(): Turn {
    this.#count += 1
    const turn: Turn = { weight: 'minor', ended: Promise.withResolvers() }
    this.#open = turn
    inNextTurn(() => this.#end(turn))
    return turn
  }

  #end(turn: Turn): void {
    if (this.#open !== turn) return
    try {
      if (turn.error !== undefined) throw turn.error
      this.onCommit()
      if (this.#database.isTransaction) this.#commit.run()
      if (turn.weight === 'lasting' && this.#isFile) this.#sync()
      this.#isWarned = false
    } catch (cause) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      this.#fail(cause, turn.weight === 'minor' ? 0 : this.#count)
      this.onUndone()
    }
    this.#open = undefined
    turn.ended.resolve()
  }

  #sync(): void {
    try {
      this.#log ??= openSync(`${this.#path}-wal`, 'r+')
      fdatasyncSync(this.#log)
    } catch {
      // It is unknown then what of the log is on the disk; this writes all of it to the database's own file.
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    }
  }

  #fail(cause: unknown, at: number): void {
    const error = this.#unwritten(cause)
    if (at > 0) this.#failure = { at, error }
    // Clients learn no details, so the emulator's output shows them; once, however many requests fail.
    if (!this.#isWarned) process.emitWarning(error)
    this.#isWarned = true
  }

  /** A removed folder looks like a full disk, or like a database that may only be read. */
  #unwritten(cause: unknown): UnwrittenError {
    const isGone = this.#isFile && !existsSync(this.#path)
    return new UnwrittenError(isGone ? 'its folder was removed' : reasonOf(cause), { cause })
  }

  /** The current position, for {@link Turns.flushed}. */
  mark(): number {
    return this.#open === undefined ? this.#count + 1 : this.#count
  }

  /**
   * Resolves once the turns of all earlier writes have ended: in a file they survive the end of this process, and lasting
   * ones a power failure. Undefined if they have ended already.
   * @param since a position from {@link Turns.mark}; default: the current one
   * @throws UnwrittenError if one of those since then failed, unless all of its turn were minor
   */
  flushed(since = this.mark()): Promise<void> | undefined {
    const isFailed = this.#failure !== undefined && this.#failure.at >= since
    return this.#open !== undefined || isFailed ? this.#ended(since) : undefined
  }

  async #ended(since: number): Promise<void> {
    await this.#open?.ended.promise
    if (this.#failure !== undefined && this.#failure.at >= since) throw this.#failure.error
  }

  /** Ends the turn; the database stays open. @throws UnwrittenError */
  async close(): Promise<void> {
    const since = this.mark()
    if (this.#open !== undefined) this.#end(this.#open)
    if (this.#log !== undefined) closeSync(this.#log)
    await this.flushed(since)
  }
}

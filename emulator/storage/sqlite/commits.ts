import { setImmediate as inNextTurn } from 'node:timers'
import { EmulatorError } from '../../emulator-error.ts'
import { andThen } from '../../values/soon.ts'
import type { Reserve } from '../folder/reserve.ts'
import { type Flushed, UnwrittenError } from '../record-store.ts'
import type { SqlDatabase } from './sql-database.ts'
import type { TurnFile } from './turn-file.ts'

/**
 * How durable a write must be: `lasting` and `freeing` survive a power failure, the others the end of the process. A
 * `minor` one changes memory alone, until the turn's commit; if that fails, it is not reported but repeated with the
 * next. A `freeing` write is, or leads to, a deletion: it alone is made while no space is reserved.
 */
export type WriteKind = 'minor' | 'ordinary' | 'lasting' | 'freeing'

const writeKinds: readonly WriteKind[] = ['minor', 'ordinary', 'lasting', 'freeing']

interface CommitsContext {
  /** Brings committed data from the system's cache to the disk. */
  sync(): Promise<void>
  /** Lent to each commit but a `minor` one when the disk is full, and reserved again after it. */
  readonly reserve: Reserve
  readonly turns: TurnFile
}

/** The changes of a turn. */
interface Group {
  /** With any other than a minor one, its transaction is open. */
  kind: WriteKind
  /** Tells those who wait for its end, if anyone does. */
  finish?: (outcome: Failures | Promise<Failures>) => void
}

/** Of commits that write a few pages each, every so many looks whether the disk is nearly full. */
const minorPerLook = 16

/** By the kind of the turn that failed, the latest of each; none of `minor` ones. */
type Failures = { readonly [Kind in WriteKind]?: { readonly at: number; readonly error: Error } }

/**
 * Commits all writes of one turn of the event loop together: what is written without awaiting stays together, and
 * requests share the cost of a commit. A turn of minor changes adds a line to the {@link TurnFile}; every other writes all
 * tables. A failed turn is undone, in memory too; the next turn tries again, since a full disk may have room by then.
 */
export function createCommits(
  database: Pick<SqlDatabase, 'prepare' | 'pragma'>,
  { sync, reserve, turns }: CommitsContext,
) {
  const step = (sql: string) => {
    const statement = database.prepare(sql)
    return () => statement.run()
  }
  const beginTransaction = step('BEGIN IMMEDIATE')
  const commit = step('COMMIT')
  const rollback = step('ROLLBACK')
  const beforeCommit: (() => void)[] = []
  const afterCommit: ((isInTables: boolean) => void)[] = []
  const afterUndo: ((kind: WriteKind) => void)[] = []
  let group: Group | undefined
  let count = 0
  /** Resolves once every turn so far has ended; undefined while none is awaited. */
  let flushing: Promise<Failures> | undefined
  /** Of the turns that have ended. */
  let failures: Failures = {}
  /** How many asked in this turn, and whether more than one did in the turn before. */
  let asked = 0
  let areMany = false
  let isScheduled = false
  let latest: Error | undefined
  let isRestoring = false
  let isWarned = false
  let isSyncLost = false

  /** What memory gets from the database is no change of a turn. */
  const restoring = (restore: () => void) => {
    isRestoring = true
    restore()
    isRestoring = false
  }

  /** A removed folder looks like a full disk, or like a database that may only be read. */
  const problemOf = (cause: unknown): string => {
    const reason = cause instanceof Error ? cause.message : cause
    return `The data could not be written: ${reserve.isGone() ? 'its folder was removed' : reason}`
  }

  const fail = (cause: unknown): Error => {
    const error = new UnwrittenError(problemOf(cause), { cause })
    latest = error
    const { kind = 'minor', finish } = group ?? {}
    if (kind === 'freeing') reserve.release()
    finish?.(kind === 'minor' ? {} : { [kind]: { at: count, error } })
    group = undefined
    unlessItFails(rollback)
    restoring(() => {
      for (const restore of afterUndo) restore(kind)
    })
    // Clients learn no details, so the emulator's output shows them; once, however many requests fail.
    if (!isWarned) process.emitWarning(error)
    isWarned = true
    return error
  }

  const openGroup = (): Group => {
    count += 1
    if (!isScheduled) inNextTurn(endTurn)
    isScheduled = true
    return { kind: 'minor' }
  }

  const endTurn = () => {
    isScheduled = false
    areMany = asked > 1
    asked = 0
    if (group !== undefined) commitGroup(group)
  }

  const awaitEnd = (opened: Group) => {
    if (opened.finish !== undefined) return
    const outcome = new Promise<Failures>((resolve) => {
      opened.finish = resolve
    })
    const all = Promise.all([flushing ?? failures, outcome]).then(([earlier, own]) => {
      const both = { ...earlier, ...own }
      if (flushing === all) [flushing, failures] = [undefined, both]
      return both
    })
    flushing = all
  }

  const makeRoomFor = (kind: WriteKind) => {
    if (kind !== 'freeing' && !reserve.ensure()) throw latest?.cause ?? new Error('there is no room on the disk')
    if (kind !== 'minor') reserve.lend()
  }

  const commitGroup = ({ kind, finish }: Group) => {
    const isInTables = kind !== 'minor' || turns.areMany()
    try {
      makeRoomFor(kind)
      if (isInTables) writeTables(kind !== 'minor')
      else turns.addChanges()
    } catch (error) {
      return void fail(error)
    }
    group = undefined
    for (const forget of afterCommit) forget(isInTables)
    finish?.(kind === 'lasting' || kind === 'freeing' ? syncNow(kind, count) : {})
    if ((kind !== 'minor' || count % minorPerLook === 0) && reserve.isLow()) shrinkLog()
  }

  const writeTables = (isOpen: boolean) => {
    if (!isOpen) beginTransaction()
    for (const write of beforeCommit) write()
    turns.removeAll()
    commit()
    turns.removed()
  }

  /** What small deletions free is less than they add to the database's log, until it is written back. */
  const shrinkLog = () => {
    unlessItFails(() => database.pragma('wal_checkpoint(TRUNCATE)'))
    reserve.ensure()
  }

  /**
   * After a failed sync it is unknown which parts of the database's log are on the disk, so all of it is written again.
   */
  const syncNow = async (kind: WriteKind, at: number): Promise<Failures> => {
    try {
      if (!isSyncLost) await sync()
      // Another turn's sync may have failed meanwhile.
      if (isSyncLost) database.pragma('wal_checkpoint(TRUNCATE)')
      isSyncLost = false
      isWarned = false
      return {}
    } catch (cause) {
      isSyncLost = true
      reserve.release()
      const error = new EmulatorError('data-not-written', problemOf(cause), { cause })
      if (!isWarned) process.emitWarning(error)
      isWarned = true
      return { [kind]: { at, error } }
    }
  }

  const failTurnOnError = <Result>(step: () => Result): Result => {
    try {
      return step()
    } catch (error) {
      throw fail(error)
    }
  }

  const begin = (kind: WriteKind) => {
    if (isRestoring) return
    group ??= openGroup()
    if (kind !== 'minor' && group.kind === 'minor') {
      awaitEnd(group)
      failTurnOnError(beginTransaction)
    }
    if (writeKinds.indexOf(kind) > writeKinds.indexOf(group.kind)) group.kind = kind
  }

  const mark = () => (group === undefined ? count + 1 : count)

  const flushed: Flushed = (since = mark(), of = 'changes') => {
    asked += 1
    // A line costs less than to wait for it, unless several share it.
    if (group?.kind === 'minor' && !areMany) commitGroup(group)
    if (group !== undefined) awaitEnd(group)
    return andThen(flushing ?? failures, (found) => {
      for (const [kind, { at, error }] of Object.entries(found)) {
        if (at >= since && (of === 'changes' || kind === 'freeing')) throw error
      }
    })
  }

  return {
    /**
     * Runs an action that writes tables itself.
     * @throws Error if it fails, which undoes all writes of the turn
     */
    write<Result>(kind: Exclude<WriteKind, 'minor'>, action: () => Result): Result {
      begin(kind)
      return failTurnOnError(action)
    },
    /**
     * Announces a change of memory that is written with the turn's commit.
     * @throws Error if the database fails, never with `minor`
     */
    begin,
    /** Has the changes of a part written in the line of the turn, where they need no table at once. */
    join: turns.join,
    /** Makes the changes of such lines, which a killed process has left. */
    repeat: () => restoring(turns.repeatAll),
    /**
     * Brings them into the tables, where there is room: a line is as safe. Call after `flushed`.
     * @returns whether the tables have everything
     */
    settle() {
      unlessItFails(() => turns.areNone() || writeTables(false))
      return turns.areNone()
    },
    /** Called to write what changed in memory since the tables were last written. */
    onCommit: (write: () => void) => void beforeCommit.push(write),
    /** Called when a commit has succeeded, of the tables or of the line of a turn. */
    onCommitted: (forget: (isInTables: boolean) => void) => void afterCommit.push(forget),
    /** Called when a turn's writes were undone: reload memory from the database. */
    onUndone: (restore: (kind: WriteKind) => void) => void afterUndo.push(restore),
    /** The current position, for `flushed`. */
    mark,
    /** Later turns, and turns before `since`, have no part in it. */
    flushed,
  }
}

export type Commits = ReturnType<typeof createCommits>

function unlessItFails(step: () => void): void {
  try {
    step()
  } catch {
    // No transaction is open, or the database has rolled back itself; or the disk is full.
  }
}

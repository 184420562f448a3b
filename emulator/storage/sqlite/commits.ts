import { inNextTurn } from '../../../src/system/next-turn.ts'
import { EmulatorError } from '../../emulator-error.ts'
import type { Reserve } from '../folder/reserve.ts'
import { type Flushed, UnwrittenError } from '../record-store.ts'
import { isDatabaseFailure, type SqlDatabase } from './sql-database.ts'

/**
 * How durable a write must be: `lasting` and `freeing` survive a power failure, the others the end of the process. A
 * failed `minor` write is not reported but repeated with the next commit. A `freeing` write is, or leads to, a deletion:
 * it alone is made while no space is reserved.
 */
export type WriteKind = 'minor' | 'ordinary' | 'lasting' | 'freeing'

const writeKinds: readonly WriteKind[] = ['minor', 'ordinary', 'lasting', 'freeing']

interface CommitsContext {
  /** Brings committed data from the system's cache to the disk. */
  sync(): Promise<void>
  /** Lent to each commit but a `minor` one when the disk is full, and reserved again after it. */
  readonly reserve: Reserve
}

/** An open transaction. */
interface Group {
  kind: WriteKind
  readonly finish: (outcome: Failures | Promise<Failures>) => void
}

/** Of commits that write a few pages each, every so many looks whether the disk is nearly full. */
const minorPerLook = 16

/** By the kind of the turn that failed, the latest of each; none of `minor` ones. */
type Failures = { readonly [Kind in WriteKind]?: { readonly at: number; readonly error: Error } }

/**
 * Commits all writes of one turn of the event loop together: what is written without awaiting stays together, and
 * requests share the cost of a transaction. A failed turn is undone, in memory too; the next turn tries again, since a
 * full disk may have room by then.
 */
export function createCommits(database: Pick<SqlDatabase, 'prepare' | 'pragma'>, { sync, reserve }: CommitsContext) {
  const step = (sql: string) => {
    const statement = database.prepare(sql)
    return () => statement.run()
  }
  const beginTransaction = step('BEGIN IMMEDIATE')
  const commit = step('COMMIT')
  const rollback = step('ROLLBACK')
  // Savepoints of one name are nested: each statement means the innermost.
  const savepoint = step('SAVEPOINT action')
  const releaseSavepoint = step('RELEASE action')
  const rollbackToSavepoint = step('ROLLBACK TO action')
  const beforeCommit: (() => void)[] = []
  const afterCommit: (() => void)[] = []
  const afterUndo: (() => void)[] = []
  let changes: (() => void)[] = []
  let depth = 0
  let group: Group | undefined
  let count = 0
  /** Resolves once every turn so far has ended. */
  let flushing: Promise<Failures> = Promise.resolve({})
  let latest: Error | undefined
  let isWarned = false
  let isSyncLost = false

  /** A removed folder looks like a full disk, or like a database that may only be read. */
  const problemOf = (cause: unknown): string => {
    const reason = cause instanceof Error ? cause.message : cause
    return `The data could not be written: ${reserve.isGone() ? 'its folder was removed' : reason}`
  }

  const fail = (cause: unknown): Error => {
    const error = new UnwrittenError(problemOf(cause), { cause })
    latest = error
    if (group?.kind === 'freeing') reserve.release()
    group?.finish(group.kind === 'minor' ? {} : { [group.kind]: { at: count, error } })
    group = undefined
    changes = []
    unlessItFails(rollback)
    for (const restore of afterUndo) restore()
    // Clients learn no details, so the emulator's output shows them; once, however many requests fail.
    if (!isWarned) process.emitWarning(error)
    isWarned = true
    return error
  }

  const openGroup = (): Group => {
    let finish: Group['finish'] = () => {}
    const outcome = new Promise<Failures>((resolve) => {
      finish = resolve
    })
    flushing = Promise.all([flushing, outcome]).then(([earlier, own]) => ({ ...earlier, ...own }))
    count += 1
    const opened: Group = { kind: 'minor', finish }
    inNextTurn(() => {
      if (group === opened) commitGroup(opened)
    })
    return opened
  }

  const makeRoomFor = (kind: WriteKind) => {
    if (kind !== 'freeing' && !reserve.ensure()) throw latest?.cause ?? new Error('there is no room on the disk')
    if (kind !== 'minor') reserve.lend()
  }

  const commitGroup = ({ kind, finish }: Group) => {
    try {
      makeRoomFor(kind)
      for (const write of beforeCommit) write()
      commit()
    } catch (error) {
      return void fail(error)
    }
    group = undefined
    for (const forget of afterCommit) forget()
    finish(kind === 'lasting' || kind === 'freeing' ? syncNow(kind, count) : {})
    if ((kind !== 'minor' || count % minorPerLook === 0) && reserve.isLow()) shrinkLog()
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

  /** A database error undoes the turn. An action's own error undoes only that action and goes to its caller. */
  const attempt = <Result>(action: () => Result): Result => {
    const before = changes.length
    const current = group
    failTurnOnError(savepoint)
    depth += 1
    try {
      const result = action()
      if (group === current) failTurnOnError(releaseSavepoint)
      return result
    } catch (error) {
      changes.length = Math.min(before, changes.length)
      // The whole turn was already undone.
      if (group !== current) throw error
      if (isDatabaseFailure(error)) throw fail(error)
      failTurnOnError(rollbackToSavepoint)
      failTurnOnError(releaseSavepoint)
      throw error
    } finally {
      depth -= 1
    }
  }

  const failTurnOnError = <Result>(step: () => Result): Result => {
    try {
      return step()
    } catch (error) {
      throw fail(error)
    }
  }

  const makeChanges = () => {
    const made = changes
    changes = []
    for (const change of made) change()
  }

  const begin = (kind: WriteKind) => {
    if (group === undefined) {
      failTurnOnError(beginTransaction)
      group = openGroup()
    }
    if (writeKinds.indexOf(kind) > writeKinds.indexOf(group.kind)) group.kind = kind
  }

  const mark = () => (group === undefined ? count + 1 : count)

  const flushed: Flushed = async (since = mark(), of = 'changes') => {
    const failures = await flushing
    for (const [kind, { at, error }] of Object.entries(failures)) {
      if (at >= since && (of === 'changes' || kind === 'freeing')) throw error
    }
  }

  return {
    /**
     * Runs an action that writes. If it throws, its writes are undone, so it must change memory last, or with
     * `afterwards`. Of a `minor` one only the database may fail.
     * @throws what the action throws; Error if the database fails, which undoes all writes of the turn
     */
    write<Result>(kind: WriteKind, action: () => Result): Result {
      begin(kind)
      const result = kind === 'minor' ? failTurnOnError(action) : attempt(action)
      if (depth === 0) makeChanges()
      return result
    },
    /**
     * Opens the turn's transaction, for a change of memory that is written with the commit.
     * @throws Error if the database fails
     */
    begin,
    /** Within a write: runs `change` once the outermost action has succeeded. */
    afterwards: (change: () => void) => void changes.push(change),
    /** Called with every commit, to write what is otherwise kept in memory. */
    onCommit: (write: () => void) => void beforeCommit.push(write),
    /** Called when a commit has succeeded. */
    onCommitted: (forget: () => void) => void afterCommit.push(forget),
    /** Called when a turn's writes were undone: reload memory from the database. */
    onUndone: (restore: () => void) => void afterUndo.push(restore),
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

import { inNextTurn } from '../../next-turn.ts'
import type { Reserve } from '../folder/reserve.ts'
import { UnwrittenError } from '../unwritten.ts'

/**
 * What is lost by a failure of power: `lasting` writes are not, others may be. Of `minor` ones nobody is told that they
 * could not be written: they are remembered, and written again with the next.
 */
export type Weight = 'minor' | 'ordinary' | 'lasting'

const weights: readonly Weight[] = ['minor', 'ordinary', 'lasting']

/** When writes become transactions of the database. */
export interface Commits {
  /**
   * Runs something that writes, or that changes what {@link Commits.onCommit} will write. Of an action that throws
   * nothing is written, so it changes what is in memory last.
   * @throws whatever it throws; Error where the database failed, which undoes all of the turn's writes
   */
  write<Result>(weight: Weight, action: () => Result): Result
  /** To be called within a write: has memory changed once the outermost action around it succeeded. */
  afterwards(change: () => void): void
  /** Has something written along with every commit: what changes with each request is kept in memory meanwhile. */
  onCommit(write: () => void): void
  /** Hears that what was written is committed, and need not be remembered any more. */
  onCommitted(forget: () => void): void
  /** Hears that a turn's writes were undone: what is in memory is to be as the database has it. */
  onUndone(restore: () => void): void
  /** Where the writes stand now, for {@link Commits.settled}. */
  mark(): number
  /**
   * Resolves once all that was written before is safe.
   * @param since a {@link Commits.mark}; the present one unless given
   * @throws Error where something written since then is not
   */
  settled(since?: number): Promise<void>
}

export interface CommitsContext {
  begin(): void
  commit(): void
  /** To be called once, after a failure. */
  rollback(): void
  /** Brings what was committed from the system's memory to the disk. */
  sync(): Promise<void>
  /** Brings all that was ever committed to the disk, after a sync that failed. */
  mend(): void
  /** Begins an action within the transaction; actions may be nested. */
  mark(): void
  /** Ends the action that began last. */
  keep(): void
  /** Ends the action that began last, and undoes what it wrote. */
  revert(): void
  /** Whether an error of an action is one of the database, rather than a mistake of that action. */
  isFatal(error: unknown): boolean
  /** Room that a full disk is given back. */
  readonly reserve: Reserve
}

/** A transaction that is still open. */
interface Group {
  weight: Weight
  readonly finish: (outcome: Promise<void>) => void
}

/**
 * Commits the writes of one turn of the event loop together: what one stretch of code writes is never torn apart, and
 * many requests share the cost of one transaction. A turn that fails is undone, in memory as well, and the next one is
 * tried anew: a full disk may have room again.
 */
export function createCommits(context: CommitsContext): Commits {
  const { begin, commit, rollback, sync, mend, mark, keep, revert, isFatal, reserve } = context
  const alongside: (() => void)[] = []
  const forgetting: (() => void)[] = []
  const restoring: (() => void)[] = []
  let changes: (() => void)[] = []
  let depth = 0
  let group: Group | undefined
  let count = 0
  let settling: Promise<void> = Promise.resolve()
  let failed: { readonly at: number; readonly error: Error } | undefined
  let latest: Error | undefined
  let isTold = false
  let isTorn = false

  /** Syncs fail late: a later turn may have failed before. */
  const noteFailure = (at: number, error: Error) => {
    failed = { at: Math.max(at, failed?.at ?? 0), error }
  }

  const fail = (cause: unknown): Error => {
    const reason = cause instanceof Error ? cause.message : cause
    const error = new UnwrittenError(`The data could not be written: ${reason}`, { cause })
    latest = error
    if (group !== undefined && group.weight !== 'minor') noteFailure(count, error)
    group?.finish(Promise.resolve())
    group = undefined
    changes = []
    undo(rollback)
    reserve.release()
    for (const restore of restoring) restore()
    // Clients are told nothing, so whoever runs the emulator has to be; once, however many requests fail.
    if (!isTold) process.emitWarning(error)
    isTold = true
    return error
  }

  const openGroup = (): Group => {
    let finish: Group['finish'] = () => {}
    const outcome = new Promise<void>((resolve) => {
      finish = resolve
    })
    settling = Promise.all([settling, outcome]).then(() => {})
    count += 1
    const opened: Group = { weight: 'minor', finish }
    inNextTurn(() => {
      if (group === opened) commitGroup(opened)
    })
    return opened
  }

  const commitGroup = ({ weight, finish }: Group) => {
    try {
      if (weight !== 'lasting' && !reserve.holds()) throw latest?.cause ?? new Error('there is no room on the disk')
      for (const write of alongside) write()
      commit()
    } catch (error) {
      return void fail(error)
    }
    group = undefined
    for (const forget of forgetting) forget()
    finish(weight === 'lasting' ? syncNow(count) : Promise.resolve())
  }

  /** What the disk has of the database's log is not known after a sync that failed, so all of it is brought over. */
  const syncNow = async (at: number) => {
    try {
      if (!isTorn) await sync()
      // The sync of another turn may have failed meanwhile.
      if (isTorn) mend()
      isTorn = false
      isTold = false
    } catch (cause) {
      isTorn = true
      reserve.release()
      const error = new Error(`The data could not be written: ${cause instanceof Error ? cause.message : cause}`, {
        cause,
      })
      noteFailure(at, error)
      if (!isTold) process.emitWarning(error)
      isTold = true
    }
  }

  /** What the database does wrong undoes the turn; what the action does wrong is undone, and told to its caller alone. */
  const attempt = <Result>(action: () => Result): Result => {
    const before = changes.length
    const current = group
    orFail(mark)
    depth += 1
    try {
      const result = action()
      if (group === current) orFail(keep)
      return result
    } catch (error) {
      changes.length = Math.min(before, changes.length)
      // The turn was undone within.
      if (group !== current) throw error
      if (isFatal(error)) throw fail(error)
      orFail(revert)
      throw error
    } finally {
      depth -= 1
    }
  }

  const orFail = <Result>(step: () => Result): Result => {
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

  return {
    write(weight, action) {
      if (group === undefined) {
        orFail(begin)
        group = openGroup()
      }
      if (weights.indexOf(weight) > weights.indexOf(group.weight)) group.weight = weight
      const result = attempt(action)
      if (depth === 0) makeChanges()
      return result
    },
    afterwards: (change) => void changes.push(change),
    onCommit: (write) => void alongside.push(write),
    onCommitted: (forget) => void forgetting.push(forget),
    onUndone: (restore) => void restoring.push(restore),
    mark: () => (group === undefined ? count + 1 : count),
    async settled(since = group === undefined ? count + 1 : count) {
      await settling
      if (failed !== undefined && failed.at >= since) throw failed.error
    },
  }
}

function undo(rollback: () => void): void {
  try {
    rollback()
  } catch {
    // There is none to undo, or the database has done so itself.
  }
}

import { inNextTurn } from '../../next-turn.ts'

/** What is lost by a failure of power: `ordinary` writes may be, `lasting` ones are not. */
export type Weight = 'ordinary' | 'lasting'

/** When writes become transactions of the database. */
export interface Commits {
  /**
   * Runs something that writes, or that changes what {@link Commits.onCommit} will write. Of an action that throws
   * nothing is written, so it changes what is in memory last.
   * @throws whatever it throws; Error where the database failed, now or before
   */
  write<Result>(weight: Weight, action: () => Result): Result
  /** To be called within a write: has memory changed once the outermost action around it succeeded. */
  afterwards(change: () => void): void
  /** Has something written along with every commit: what changes with each request is kept in memory meanwhile. */
  onCommit(write: () => void): void
  /**
   * Resolves once all that was written before is safe.
   * @throws Error where it is not
   */
  settled(): Promise<void>
}

export interface CommitsContext {
  begin(): void
  commit(): void
  /** To be called once, after a failure. */
  rollback(): void
  /** Brings what was committed from the system's memory to the disk. */
  sync(): Promise<void>
  /** Begins an action within the transaction; actions may be nested. */
  mark(): void
  /** Ends the action that began last. */
  keep(): void
  /** Ends the action that began last, and undoes what it wrote. */
  revert(): void
  /** Whether an error of an action is the end of the database, rather than a mistake of that action. */
  isFatal(error: unknown): boolean
}

/** A transaction that is still open. */
interface Group {
  weight: Weight
  readonly finish: (outcome: Promise<void>) => void
}

/**
 * Commits the writes of one turn of the event loop together: what one stretch of code writes is never torn apart, and
 * many requests share the cost of one transaction.
 */
export function createCommits(context: CommitsContext): Commits {
  const { begin, commit, rollback, sync, mark, keep, revert, isFatal } = context
  const alongside: (() => void)[] = []
  let changes: (() => void)[] = []
  let depth = 0
  let group: Group | undefined
  let settling: Promise<void> = Promise.resolve()
  let failure: Error | undefined

  // Memory and disk may differ after a failure, so nothing more is taken.
  const fail = (cause: unknown): Error => {
    if (failure !== undefined) return failure
    failure = new Error(`The data could not be written: ${cause instanceof Error ? cause.message : cause}`, { cause })
    undo(rollback)
    // Clients are told nothing, so whoever runs the emulator has to be.
    process.emitWarning(failure)
    return failure
  }

  const openGroup = (): Group => {
    let finish: Group['finish'] = () => {}
    const outcome = new Promise<void>((resolve) => {
      finish = resolve
    })
    settling = Promise.all([settling, outcome]).then(() => {})
    // Whoever waits is told; nobody has to wait.
    settling.catch(() => {})
    inNextTurn(commitGroup)
    return { weight: 'ordinary', finish }
  }

  const commitGroup = () => {
    if (group === undefined) return
    const { weight, finish } = group
    group = undefined
    finish(weight === 'lasting' ? commitNow().then(sync).catch(rethrow) : commitNow())
  }

  const commitNow = async () => {
    if (failure !== undefined) throw failure
    try {
      for (const write of alongside) write()
      commit()
    } catch (error) {
      throw fail(error)
    }
  }

  const rethrow = (error: unknown) => {
    throw fail(error)
  }

  /** What the database does may end everything; what the action does wrong is undone, and told to its caller alone. */
  const attempt = <Result>(action: () => Result): Result => {
    const before = changes.length
    orFail(mark)
    depth += 1
    try {
      const result = action()
      orFail(keep)
      return result
    } catch (error) {
      changes.length = before
      if (failure !== undefined) throw failure
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
      if (failure !== undefined) throw failure
      if (group === undefined) {
        orFail(begin)
        group = openGroup()
      }
      if (weight === 'lasting') group.weight = weight
      const result = attempt(action)
      if (depth === 0) makeChanges()
      return result
    },
    afterwards: (change) => void changes.push(change),
    onCommit: (write) => void alongside.push(write),
    settled: () => settling,
  }
}

function undo(rollback: () => void): void {
  try {
    rollback()
  } catch {
    // There is none to undo, or the database has done so itself.
  }
}

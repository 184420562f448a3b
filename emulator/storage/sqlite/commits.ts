/** What is lost by a failure of power: `ordinary` writes may be, `lasting` ones are not. */
export type Weight = 'ordinary' | 'lasting'

/** When writes become transactions of the database. */
export interface Commits {
  /**
   * Runs something that writes, or that changes what {@link Commits.onCommit} will write.
   * @throws Error where it failed, or anything before it
   */
  write<Result>(weight: Weight, action: () => Result): Result
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
export function createCommits({ begin, commit, rollback, sync }: CommitsContext): Commits {
  const alongside: (() => void)[] = []
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
    setImmediate(commitGroup)
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

  return {
    write(weight, action) {
      if (failure !== undefined) throw failure
      try {
        if (group === undefined) {
          begin()
          group = openGroup()
        }
        if (weight === 'lasting') group.weight = weight
        return action()
      } catch (error) {
        throw fail(error)
      }
    },
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

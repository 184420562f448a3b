import { type Clock, steadyMs } from '../clock.ts'
import type { Decide, QuotaStore, Turn } from './quota-store.ts'
import { StoreError } from './store-error.ts'

export interface QuotaAloneOptions<Row> {
  readonly store: QuotaStore<Row>
  readonly clock: Clock
  /** The same row, added long after it was made, by this run. */
  readonly late: (row: Row, at: number, run: string) => Row
  /** Called once with the reason. */
  readonly onProblem: (reason: string) => void
}

/** The store is tried again this often, until so many rows were counted alone. */
const AGAIN_MS = 60_000
const MOST_ALONE = 10_000

/**
 * A near store for a disk that may be full, read-only or gone: meanwhile this process counts in its memory. A store that is
 * busy, or that a newer version has written, is another matter: counting beside it would admit too much.
 */
export class QuotaAlone<Row> implements QuotaStore<Row> {
  readonly isNear = true
  readonly #options: QuotaAloneOptions<Row>
  /** What was counted since the store could not be used. */
  #rows: Row[] | undefined
  #triesAt = Number.POSITIVE_INFINITY
  #isReported = false

  constructor(options: QuotaAloneOptions<Row>) {
    this.#options = options
  }

  turn<Result>(decide: Decide<Row, Result>): Result {
    const { store, clock } = this.#options
    const isDue = this.#rows === undefined || (steadyMs(clock) >= this.#triesAt && this.#rows.length <= MOST_ALONE)
    if (isDue) {
      try {
        return store.turn(this.#rows ? this.#withLateRows(this.#rows, decide) : decide) as Result
      } catch (error) {
        this.#count(error)
      }
    }
    const { add, result, onAdded } = decide(this.#turnAlone())
    this.#rows?.push(...add)
    onAdded?.([])
    return result
  }

  pollMs(leftMs: number | undefined, ahead: number): number {
    return this.#options.store.pollMs(leftMs, ahead)
  }

  close(): void {
    this.#options.store.close()
  }

  /** @throws the error, if it is no fault of the disk */
  #count(error: unknown): void {
    const isOfDisk = error instanceof StoreError && error.failure !== 'busy' && error.failure !== 'newer'
    if (!isOfDisk) throw error
    if (!this.#isReported) this.#options.onProblem(error.reason)
    this.#isReported = true
    this.#rows ??= []
    this.#triesAt = steadyMs(this.#options.clock) + AGAIN_MS
  }

  /** What was counted alone is dated now: before the rows of others it would look like a clock that was set back. */
  #withLateRows<Result>(rows: readonly Row[], decide: Decide<Row, Result>): Decide<Row, Result> {
    return (turn) => {
      const late = rows.map((row) => this.#options.late(row, turn.now, turn.run()))
      const { add, result, onAdded } = decide({ ...turn, news: [...turn.news, ...late], isWhole: true })
      const back = () => {
        this.#rows = undefined
        onAdded?.([])
      }
      return { add: [...late, ...add], result, onAdded: back }
    }
  }

  #turnAlone(): Turn<Row> {
    const { clock } = this.#options
    // Who else lives cannot be asked.
    return { news: [], isWhole: false, now: clock.now(), uncertainMs: 0, run: () => '', lives: () => true }
  }
}

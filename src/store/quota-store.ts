import type { RunId } from './runs.ts'

/** How the rows of a quota are written. Their order decides what they mean. */
export interface RowForm<Row> {
  format(row: Row): string
  /** Undefined for what another version, or another program, has written. */
  parse(text: string): Row | undefined
  /** The rows that still matter, which mean the same. @param now epoch milliseconds */
  compact(rows: readonly Row[], now: number): readonly Row[]
}

/** What a run sees when it is its turn: no other run adds rows between. */
export interface Turn<Row> {
  /** Rows that this store has not shown yet, in the order of all. Rows that it added itself are not among them. */
  readonly news: readonly Row[]
  /** Whether the news are all rows, and those shown before do not count any more. */
  readonly isWhole: boolean
  /** Epoch milliseconds, by the time that dates the rows. */
  readonly now: number
  /** How much later it may be by that time, in milliseconds: the way to a server takes time. */
  readonly uncertainMs: number
  /** The run that adds rows. It lives from here on until the store is closed. */
  run(): RunId
  /** Whether another run has not ended. */
  lives(run: RunId): boolean
}

export interface Decision<Row, Result> {
  readonly add: readonly Row[]
  readonly result: Result
  /** Whether the rows are right whatever has come meanwhile, as the end of a request is. Default: false. */
  readonly isAlways?: boolean
  /** Called once the rows are in the store, before the next turn. @param before what came meanwhile, and is before them */
  readonly onAdded?: (before: readonly Row[]) => void
}

/** `decide` adds nothing by itself: it may be called again, with what has come meanwhile. */
export type Decide<Row, Result> = (turn: Turn<Row>) => Decision<Row, Result>

/** The rows of one key's quota, which several runs share. */
export interface QuotaStore<Row> {
  /** Whether a turn costs next to nothing, and is done when it returns. */
  readonly isNear: boolean
  /**
   * Shows what is new, and adds what is decided: as a whole, or not at all. After an error the next turn is a whole one.
   * @throws StoreError
   */
  turn<Result>(decide: Decide<Row, Result>): Result | Promise<Result>
  /** How often a wait looks for news, in milliseconds. @param leftMs of the wait, if known @param ahead how many wait before it */
  pollMs(leftMs: number | undefined, ahead: number): number
  /** This run is over; the next turn begins another one. */
  close(): void
}

/**
 * A turn of a run whose rows no other run sees: they need not be kept. It hears of no end of what others began, and so
 * takes them for ended. @param now epoch milliseconds
 */
export function turnAlone<Row, Result>(decide: Decide<Row, Result>, now: number): Result {
  const alone = { news: [], isWhole: false, uncertainMs: 0, run: () => '', lives: () => false }
  const { result, onAdded } = decide({ ...alone, now })
  onAdded?.([])
  return result
}

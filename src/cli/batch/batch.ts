import { setMaxListeners } from 'node:events'

/** The items of a batch and how to process them. */
export interface BatchPlan<Item, Result> {
  readonly items: readonly Item[]
  /** How many to process at a time. */
  readonly jobs: number
  /** Whether an item may wait for another program: it starts after all that do not. Default: none does. */
  mayWait?(item: Item): boolean
  /** Aborts when no further item may start. */
  readonly stopping: AbortSignal
  /** @param halted aborts when the batch stops; items that have not sent anything should stop too */
  work(item: Item, halted: AbortSignal, index: number): Promise<Result>
  /** Whether the batch continues after this result. */
  continues(result: Result): boolean
  /** The result of an item that was never started. */
  notStarted(item: Item): Result
  /** Called with each result when it is known, in any order. */
  onResult(result: Result, index: number): void
}

/** Starts the items in order, `jobs` at a time; those that may wait come last. @returns the results in the order of the items */
export async function runBatch<Item, Result>(plan: BatchPlan<Item, Result>): Promise<readonly Result[]> {
  const { items, stopping } = plan
  const results = new Map<number, Result>()
  const late = ([, item]: readonly [number, Item]) => Number(plan.mayWait?.(item) ?? false)
  const queue = [...items.entries()].sort((a, b) => late(a) - late(b)).values()
  const halt = new AbortController()
  setMaxListeners(0, halt.signal)

  async function worker(): Promise<void> {
    for (const [index, item] of queue) {
      const started = !halt.signal.aborted && !stopping.aborted
      const result = started ? await plan.work(item, halt.signal, index) : plan.notStarted(item)
      if (started && !plan.continues(result)) halt.abort()
      results.set(index, result)
      plan.onResult(result, index)
    }
  }

  await Promise.all(Array.from({ length: Math.min(plan.jobs, items.length) }, worker))
  return [...results.entries()].sort(([a], [b]) => a - b).map(([, result]) => result)
}

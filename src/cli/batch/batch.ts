import { setMaxListeners } from 'node:events'

/** How the items of a batch are worked through. */
export interface BatchPlan<Item, Result> {
  readonly items: readonly Item[]
  /** How many may be in work at a time. */
  readonly jobs: number
  /** Aborts when nothing new may start. */
  readonly stopping: AbortSignal
  /** @param halted aborts when the batch does not go on: what has not begun in earnest need not */
  work(item: Item, halted: AbortSignal, index: number): Promise<Result>
  /** Whether the batch goes on after this result. */
  continues(result: Result): boolean
  /** The result of an item that was never started. */
  notStarted(item: Item): Result
  /** Told every result as it comes about, in any order. */
  onResult(result: Result, index: number): void
}

/** Works through all items, in order as far as `jobs` allows; the results are in the items' order. */
export async function runBatch<Item, Result>(plan: BatchPlan<Item, Result>): Promise<readonly Result[]> {
  const { items, stopping } = plan
  const results = new Map<number, Result>()
  const queue = items.entries()
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

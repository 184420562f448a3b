import { setMaxListeners } from 'node:events'

/** The items of a batch and how to process them. */
export interface BatchPlan<Item, Result> {
  readonly items: readonly Item[]
  readonly jobs: number
  readonly stopping: AbortSignal
  /** Whether an item goes before all others: it cannot be worked on, and that is told at once. Default: none does. */
  isRefused?(item: Item): boolean
  /** Whether an item lets all others start first, for now: it would only wait. Default: none does. */
  isHeld?(item: Item): boolean
  /** @param halted aborts when the batch stops; items that have not sent anything should stop too */
  /** @returns undefined where it was stopped before anything was sent */
  work(item: Item, halted: AbortSignal, index: number): Promise<Result | undefined>
  continues(result: Result): boolean
  /** @param stopper the result that ended the batch, if one did */
  notStarted(item: Item, stopper: Result | undefined): Result
  /** Called with each result when it is known, in any order. */
  onResult(result: Result, index: number): void
}

/**
 * Starts the items in order, `jobs` at a time: refused ones first, held ones once they are free, or last.
 * @returns the results in the order of the items
 */
export async function runBatch<Item, Result>(plan: BatchPlan<Item, Result>): Promise<readonly Result[]> {
  const { items, stopping } = plan
  const results = new Map<number, Result>()
  const isRefused = ([, item]: [number, Item]) => plan.isRefused?.(item) ?? false
  // Last first: taking from the end of a long list costs nothing.
  const waiting = [...items.entries()].reverse().sort((one, other) => Number(isRefused(one)) - Number(isRefused(other)))
  const isFree = ([, item]: [number, Item]) => !plan.isHeld?.(item)
  const halt = new AbortController()
  let stopper: Result | undefined
  setMaxListeners(0, halt.signal)

  async function worker(): Promise<void> {
    for (;;) {
      // Where none is free, -1 takes the end: the first that is held.
      const [next] = waiting.splice(waiting.findLastIndex(isFree), 1)
      if (next === undefined) return
      const [index, item] = next
      const mayStart = !halt.signal.aborted && !stopping.aborted
      const ended = mayStart ? await plan.work(item, halt.signal, index) : undefined
      if (ended !== undefined && !plan.continues(ended)) {
        stopper ??= ended
        halt.abort()
      }
      const result = ended ?? plan.notStarted(item, stopper)
      results.set(index, result)
      plan.onResult(result, index)
    }
  }

  await Promise.all(Array.from({ length: Math.min(plan.jobs, items.length) }, worker))
  return [...results.entries()].sort(([a], [b]) => a - b).map(([, result]) => result)
}

/** More concurrent calls gain nothing: Node runs only a few file system calls at a time. */
const CHUNK = 256

/** Like `Promise.all` over `items.map(work)`, but a chunk at a time, so that `signal` can stop a very long list. */
export async function mapInChunks<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  signal: AbortSignal,
): Promise<readonly R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += CHUNK) {
    signal.throwIfAborted()
    for (const result of await Promise.all(items.slice(at, at + CHUNK).map(work))) results.push(result)
  }
  return results
}

import { setMaxListeners } from 'node:events'

/** The items of a batch and how to process them. */
export interface BatchPlan<Item, Result> {
  readonly items: readonly Item[]
  readonly jobs: number
  readonly stopping: AbortSignal
  /** Whether an item lets all others start first, for now: it would only wait. Default: none does. */
  isHeld?(item: Item): boolean
  /** @param halted aborts when the batch stops; items that have not sent anything should stop too */
  work(item: Item, halted: AbortSignal, index: number): Promise<Result>
  continues(result: Result): boolean
  notStarted(item: Item): Result
  /** Called with each result when it is known, in any order. */
  onResult(result: Result, index: number): void
}

/** Starts the items in order, `jobs` at a time; held ones once they are free, or last. @returns the results in the order of the items */
export async function runBatch<Item, Result>(plan: BatchPlan<Item, Result>): Promise<readonly Result[]> {
  const { items, stopping } = plan
  const results = new Map<number, Result>()
  const queue = createQueue(items, (item) => plan.isHeld?.(item) ?? false)
  const halt = new AbortController()
  setMaxListeners(0, halt.signal)

  async function worker(): Promise<void> {
    for (let next = queue(); next !== undefined; next = queue()) {
      const [index, item] = next
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

/** @returns gives the next item, with its index; undefined after the last one */
function createQueue<Item>(items: readonly Item[], isHeld: (item: Item) => boolean) {
  const entries = items.entries()
  const held: [number, Item][] = []
  return (): [number, Item] | undefined => {
    const free = held.findIndex(([, item]) => !isHeld(item))
    if (free !== -1) return held.splice(free, 1)[0]
    for (let next = entries.next(); !next.done; next = entries.next()) {
      if (!isHeld(next.value[1])) return next.value
      held.push(next.value)
    }
    return held.shift()
  }
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

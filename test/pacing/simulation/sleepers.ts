/** A call that waits for an instant, in epoch milliseconds. */
export interface Sleeper {
  readonly dueAt: number
  readonly wake: () => void
}

/** All waiting calls by their due time, equal ones in the order of their calls. */
export interface Sleepers {
  /** @returns removes the sleeper */
  add(dueAt: number, wake: () => void): () => void
  /** Removes the earliest; `later` if none is due until then, undefined if there is none. */
  take(until: number): Sleeper | 'later' | undefined
}

interface Entry extends Sleeper {
  readonly order: number
  cancelled: boolean
}

/** A binary heap: a day of a busy simulation has tens of thousands of sleepers. */
export function createSleepers(): Sleepers {
  const heap: Entry[] = []
  let added = 0

  const at = (index: number): Entry => {
    const entry = heap[index]
    if (entry === undefined) throw new RangeError(`There is no sleeper ${index}`)
    return entry
  }
  const isBefore = (first: number, second: number) => {
    const [a, b] = [at(first), at(second)]
    return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order)
  }
  const swap = (first: number, second: number) => {
    const entry = at(first)
    heap[first] = at(second)
    heap[second] = entry
  }

  const rise = (from: number) => {
    let index = from
    for (let parent = (index - 1) >> 1; index > 0 && isBefore(index, parent); parent = (index - 1) >> 1) {
      swap(index, parent)
      index = parent
    }
  }
  const sink = () => {
    let index = 0
    for (;;) {
      const left = 2 * index + 1
      if (left >= heap.length) return
      const earlier = left + 1 < heap.length && isBefore(left + 1, left) ? left + 1 : left
      if (!isBefore(earlier, index)) return
      swap(earlier, index)
      index = earlier
    }
  }
  const removeFirst = () => {
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    heap[0] = last
    sink()
  }

  return {
    add(dueAt, wake) {
      const entry: Entry = { dueAt, wake, order: added, cancelled: false }
      added += 1
      heap.push(entry)
      rise(heap.length - 1)
      return () => {
        entry.cancelled = true
      }
    },
    take(until) {
      for (let first = heap[0]; first !== undefined; first = heap[0]) {
        if (!first.cancelled && first.dueAt > until) return 'later'
        removeFirst()
        if (!first.cancelled) return first
      }
      return undefined
    },
  }
}

import { orAborted } from '../../system/abortable.ts'

/** Lets through what looks alike one after the other, and all else at once. */
export interface KeyedMutex {
  /**
   * Resolves when everything before it that looks the same has left.
   * @returns to be called once, on leaving
   * @throws `signal.reason` when aborted
   */
  acquire(look: string, signal?: AbortSignal): Promise<() => void>
}

export function createKeyedMutex(): KeyedMutex {
  const tails = new Map<string, Promise<void>>()
  return {
    async acquire(look, signal) {
      const before = tails.get(look)
      let leave = () => {}
      const left = new Promise<void>((resolve) => {
        leave = resolve
      })
      // One that gives up while it waits still stands between those behind it and those in front.
      const tail = before === undefined ? left : before.then(() => left)
      tails.set(look, tail)
      void tail.then(() => {
        if (tails.get(look) === tail) tails.delete(look)
      })
      try {
        if (before !== undefined) await (signal === undefined ? before : orAborted(before, signal))
        return leave
      } catch (error) {
        leave()
        throw error
      }
    },
  }
}

import { orAborted } from '../../system/abortable.ts'

export function createKeyedMutex() {
  const tails = new Map<string, Promise<void>>()
  return {
    /**
     * Waits until every earlier holder of the key has released it.
     * @returns the release, to be called once
     * @throws `signal.reason` when aborted
     */
    async acquire(key: string, signal?: AbortSignal): Promise<() => void> {
      const before = tails.get(key)
      let release = () => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      // A waiter that gives up still keeps those behind it waiting for those in front of it.
      const tail = before === undefined ? released : before.then(() => released)
      tails.set(key, tail)
      void tail.then(() => {
        if (tails.get(key) === tail) tails.delete(key)
      })
      try {
        if (before !== undefined) await orAborted(before, signal)
        return release
      } catch (error) {
        release()
        throw error
      }
    },
  }
}

/** Lets holders of one key in one after the other; different keys do not wait for each other. */
export type KeyedMutex = ReturnType<typeof createKeyedMutex>

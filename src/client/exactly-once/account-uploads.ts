import type { Clock } from '../../clock.ts'
import { orAborted } from '../../system/abortable.ts'
import { createUploadRegistry, type UploadRegistry } from './upload-registry.ts'

/** What all clients of one account in this process share: what they send, and what they know of its uploads. */
interface AccountUploads {
  readonly registry: UploadRegistry
  /** Uploads of the same size and type wait for each other, because in the list they look alike. */
  readonly mutex: KeyedMutex
}

/** Times of different clocks cannot be compared. */
const accounts = new WeakMap<Clock, Map<string, WeakRef<AccountUploads>>>()

/**
 * @param clock of the client
 * @param now by a steady clock, if the client's clock has a monotonic time
 */
export function accountUploads(baseUrl: string, apiKey: string, clock: Clock, now: () => number): AccountUploads {
  const known = accounts.get(clock) ?? new Map<string, WeakRef<AccountUploads>>()
  accounts.set(clock, known)
  for (const [account, uploads] of known) if (uploads.deref() === undefined) known.delete(account)
  const account = `${apiKey} ${baseUrl}`
  const shared = known.get(account)?.deref() ?? { registry: createUploadRegistry(now), mutex: createKeyedMutex() }
  known.set(account, new WeakRef(shared))
  return shared
}

function createKeyedMutex() {
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

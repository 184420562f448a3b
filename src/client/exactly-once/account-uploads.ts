import type { Clock } from '../../clock.ts'
import { createKeyedMutex, type KeyedMutex } from './keyed-mutex.ts'
import { createUploadRegistry, type UploadRegistry } from './upload-registry.ts'

/** What all clients of one account in this process share: what they send, and what they know of its uploads. */
export interface AccountUploads {
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

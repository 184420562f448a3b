import type { RequestLog } from '../storage/record-store.ts'
import type { RequestRecord } from '../storage/records.ts'

/** The request log with subscribers. */
export interface RequestFeed extends RequestLog {
  /**
   * Calls `tell` for every request logged from now on.
   * @param close called when the emulator closes
   * @returns unsubscribes
   */
  subscribe(tell: (request: RequestRecord) => void, close: () => void): () => void
  /** Ends all subscriptions. */
  end(): void
}

/** Without subscribers, a request costs nothing extra. */
export function createRequestFeed(log: RequestLog): RequestFeed {
  const followers = new Map<(request: RequestRecord) => void, () => void>()
  return {
    ...log,
    append(request) {
      log.append(request)
      if (followers.size > 0) for (const tell of followers.keys()) tell(request)
    },
    subscribe(tell, end) {
      followers.set(tell, end)
      return () => void followers.delete(tell)
    },
    end() {
      const ends = [...followers.values()]
      followers.clear()
      for (const end of ends) end()
    },
  }
}

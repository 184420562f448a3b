import type { RequestLog } from '../storage/map-requests.ts'
import type { RequestRecord } from '../storage/records.ts'

/** Without subscribers, a request costs nothing extra. */
export function createRequestFeed(log: RequestLog) {
  const followers = new Map<(request: RequestRecord) => void, () => void>()
  return {
    ...log,
    append(request: RequestRecord) {
      log.append(request)
      if (followers.size > 0) for (const tell of followers.keys()) tell(request)
    },
    /**
     * Calls `tell` for every request logged from now on.
     * @param close called when the emulator closes
     * @returns unsubscribes
     */
    subscribe(tell: (request: RequestRecord) => void, close: () => void): () => void {
      followers.set(tell, close)
      return () => void followers.delete(tell)
    },
    /** Ends all subscriptions. */
    end() {
      const ends = [...followers.values()]
      followers.clear()
      for (const end of ends) end()
    },
  }
}

/** The request log with subscribers. */
export type RequestFeed = ReturnType<typeof createRequestFeed>

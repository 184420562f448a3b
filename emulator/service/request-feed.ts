import type { RequestLog, RequestRecord } from '../storage/record-store.ts'

/** The log, with those who follow it. */
export interface RequestFeed extends RequestLog {
  /**
   * Tells of every request from now on, as it is logged.
   * @param end called once there will be no more
   * @returns ends it
   */
  follow(tell: (request: RequestRecord) => void, end: () => void): () => void
  /** Ends all following: the emulator closes. */
  end(): void
}

/** Costs a request nothing while nobody follows. */
export function createRequestFeed(log: RequestLog): RequestFeed {
  const followers = new Map<(request: RequestRecord) => void, () => void>()
  return {
    ...log,
    append(request) {
      log.append(request)
      if (followers.size > 0) for (const tell of followers.keys()) tell(request)
    },
    follow(tell, end) {
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

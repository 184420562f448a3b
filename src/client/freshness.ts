import { isFromCache } from '../pacing/rate-headers.ts'

type Headers = Readonly<Record<string, string>>

/**
 * So much older than another answer a fresh one may look: a Date is rounded down to the second, and the clocks of two
 * machines that answer for the service may each be a second off. A cache that keeps answers for less changes nothing,
 * because absence is proven only 5 s after an upload.
 */
const SLACK_MS = 3_000

/**
 * Knows which answers of a service are older than the request for them, because a cache had kept them: by their age, and where
 * a cache does not tell that, by a Date before one that the service had sent already. No clock of this machine counts.
 */
export function createFreshness() {
  let newest = Number.NEGATIVE_INFINITY
  return {
    /** To be called when a request leaves. @returns whether its answer, with these headers in lower case, is an old one */
    begin() {
      const known = newest
      return (headers: Headers): boolean => {
        const date = Date.parse(headers['date'] ?? '')
        if (isFromCache(headers) || date < known - SLACK_MS) return true
        if (date > newest) newest = date
        return false
      }
    },
  }
}

export type Freshness = ReturnType<typeof createFreshness>

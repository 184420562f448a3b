import type { RequestNumbers } from '../state/snapshot.ts'
import type { RequestRecord } from '../storage/record-types.ts'
import type { RequestLog } from '../storage/request-log.ts'

export type NumberedRequest = readonly [number: number, request: RequestRecord]

/**
 * Costs nothing before the first look: requests are told apart by their objects, and numbered when looked at. Earlier looks
 * change no number.
 */
export function createRequestJournal(feed: Pick<RequestLog, 'all' | 'dropped' | 'subscribe'>) {
  const numbers = new WeakMap<RequestRecord, number>()
  /**
   * `last`: the highest number given so far; 0 before the first. `era` changes whenever requests were deleted, by a reset
   * or restore too: what a reader has seen may be gone.
   */
  let state = { last: 0, era: 0, kept: 0, dropped: feed.dropped() }

  const look = () => {
    const requests = feed.all()
    const known = requests.findLastIndex((request) => numbers.has(request)) + 1
    const fresh = requests.length - known
    const dropped = feed.dropped()
    // Deleted requests are neither kept nor dropped; dropped ones had their numbers.
    const logged = requests.length + dropped - state.kept - state.dropped
    const last = state.last + Math.max(logged, fresh)
    for (const [at, request] of requests.slice(known).entries()) numbers.set(request, last - fresh + 1 + at)
    state = { last, era: logged < fresh ? state.era + 1 : state.era, kept: requests.length, dropped }
    return state
  }
  const numberAt = (requests: readonly RequestRecord[], at: number) => {
    const request = requests[at]
    return request === undefined ? Number.POSITIVE_INFINITY : (numbers.get(request) ?? Number.POSITIVE_INFINITY)
  }
  /** The place of the first request with a number above this one. */
  const placeAfter = (requests: readonly RequestRecord[], number: number) => {
    let [from, to] = [0, requests.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (numberAt(requests, middle) <= number) from = middle + 1
      else to = middle
    }
    return from
  }

  return {
    /** Numbers what was logged since the last look, so that the other calls know of it. */
    look,
    /** The request with this number; undefined if the log has it no more. */
    find(number: number): RequestRecord | undefined {
      const requests = feed.all()
      const at = placeAfter(requests, number) - 1
      return at >= 0 && numberAt(requests, at) === number ? requests[at] : undefined
    },
    /** Requests with lower numbers, newest first, with their numbers. */
    *before(number: number): Iterable<NumberedRequest> {
      const requests = feed.all()
      for (let at = placeAfter(requests, number - 1) - 1; at >= 0; at -= 1) {
        const request = requests[at]
        if (request !== undefined) yield [numberAt(requests, at), request]
      }
    },
    /** Zero for a request that was deleted before it got a number. */
    numberOf(request: RequestRecord): number {
      if (!numbers.has(request)) look()
      return numbers.get(request) ?? 0
    },
    /** The numbers of these requests, in their order, and the last that was given. */
    numbersOf(requests: readonly RequestRecord[]): RequestNumbers {
      const { last } = look()
      return { numbers: requests.map((request) => numbers.get(request) ?? 0), last }
    },
    /** Call when a reset or a restore has replaced the log. @param given of all requests that it has now */
    restart(given: RequestNumbers) {
      const requests = feed.all()
      // The oldest may have had no room.
      const dropped = given.numbers.length - requests.length
      for (const [at, request] of requests.entries()) numbers.set(request, given.numbers[dropped + at] ?? 0)
      state = { last: given.last, era: state.era + 1, kept: requests.length, dropped: feed.dropped() }
    },
    /** All requests, oldest first, as the log has them. */
    all: (): readonly RequestRecord[] => feed.all(),
    /** @returns unsubscribes; see {@link RequestLog.subscribe} */
    subscribe: (notify: (request: RequestRecord) => void, close: () => void) => feed.subscribe(notify, close),
  }
}

/** The request log with a number for each request, for readers who come back for what they have not seen. */
export type RequestJournal = ReturnType<typeof createRequestJournal>

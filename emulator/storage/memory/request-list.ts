import type { RequestRecord } from '../records.ts'

/** Requests, oldest first. */
export interface RequestList {
  append(request: RequestRecord): void
  /** Takes the oldest away. */
  shift(): RequestRecord | undefined
  all(): readonly RequestRecord[]
}

export function createRequestList(requests: RequestRecord[] = []): RequestList {
  /** The index of the oldest; those before it are removed from the array many at a time. */
  let start = 0
  const compact = () => {
    if (start > 0) requests.splice(0, start)
    start = 0
  }
  return {
    append: (request) => void requests.push(request),
    shift() {
      const oldest = requests[start]
      if (oldest === undefined) return undefined
      start += 1
      if (start > requests.length >> 1) compact()
      return oldest
    },
    all() {
      compact()
      return requests
    },
  }
}

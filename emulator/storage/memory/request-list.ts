import type { RequestRecord } from '../records.ts'

export function createRequestList(requests: RequestRecord[] = []) {
  /** The index of the oldest; those before it are removed from the array many at a time. */
  let start = 0
  const compact = () => {
    if (start > 0) requests.splice(0, start)
    start = 0
  }
  return {
    append: (request: RequestRecord) => void requests.push(request),
    /** Takes the oldest away. */
    shift(): RequestRecord | undefined {
      const oldest = requests[start]
      if (oldest === undefined) return undefined
      start += 1
      if (start > requests.length >> 1) compact()
      return oldest
    },
    all(): readonly RequestRecord[] {
      compact()
      return requests
    },
  }
}

/** Requests, oldest first. */
export type RequestList = ReturnType<typeof createRequestList>

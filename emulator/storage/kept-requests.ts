import type { DroppedRequests, RequestRecord } from './records.ts'

export interface RequestCount {
  readonly kept: number
  readonly dropped: number
}

/** The key of requests without an account: a primary key of the database is never null. */
const noAccount = 0

const none: RequestCount = { kept: 0, dropped: 0 }

/** @param counts by account; a plain map or one of the database */
export function createRequestCounts(counts: Map<number, RequestCount>) {
  const total = { kept: 0, dropped: 0 }
  const recount = () => {
    Object.assign(total, none)
    for (const { kept, dropped } of counts.values()) {
      total.kept += kept
      total.dropped += dropped
    }
  }
  recount()

  return {
    /** An account's kept and dropped requests together. */
    of(accountId: number) {
      const { kept, dropped } = counts.get(accountId) ?? none
      return kept + dropped
    },
    kept: () => total.kept,
    dropped: () => total.dropped,
    droppedByAccount: (): readonly DroppedRequests[] =>
      [...counts]
        .filter(([, { dropped }]) => dropped > 0)
        .map(([id, { dropped }]) => ({ accountId: id === noAccount ? null : id, count: dropped })),
    add(accountId: number | null, { kept = 0, dropped = 0 }: Partial<RequestCount>) {
      const id = accountId ?? noAccount
      const before = counts.get(id) ?? none
      counts.set(id, { kept: before.kept + kept, dropped: before.dropped + dropped })
      total.kept += kept
      total.dropped += dropped
    },
    clear() {
      counts.clear()
      recount()
    },
    /** Adds up the counts again; call after they were changed from elsewhere. */
    recount,
  }
}

export type RequestCounts = ReturnType<typeof createRequestCounts>

export function createRequestList(requests: RequestRecord[] = []) {
  /** The index of the oldest; those before it are removed from the array many at a time. */
  let start = 0
  const compact = () => {
    if (start > 0) requests.splice(0, start)
    start = 0
  }
  return {
    append: (request: RequestRecord) => void requests.push(request),
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

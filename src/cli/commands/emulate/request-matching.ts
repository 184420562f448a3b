/** A request in the emulator's log. */
export interface LoggedRequest {
  readonly method: string
  readonly endpoint: string
  /** ISO 8601. */
  readonly at: string
}

/** A request as seen on the wire. */
export interface ArrivedRequest {
  readonly method: string
  /** Without query. */
  readonly path: string
  /** Epoch milliseconds of the emulator's clock; never later than the time in the log. */
  readonly arrivedAt: number
}

/**
 * Finds the request that a log entry describes: among the requests to its path, the latest that had arrived by then. Of
 * several within one millisecond, as on a clock that stands still, it takes the first, so that two concurrent requests
 * may be confused.
 *
 * @param waiting the requests without an entry, in the order of their arrival
 */
export function ownerOf<T extends ArrivedRequest>(entry: LoggedRequest, waiting: readonly T[]): T | undefined {
  const at = Date.parse(entry.at)
  const before = waiting.filter(({ path, arrivedAt }) => path === entry.endpoint && Math.floor(arrivedAt) <= at)
  const latest = Math.max(...before.map(({ arrivedAt }) => Math.floor(arrivedAt)))
  const last = before.filter(({ arrivedAt }) => Math.floor(arrivedAt) === latest)
  return last.find(({ method }) => method === entry.method) ?? last[0]
}

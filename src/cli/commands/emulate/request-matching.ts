/** What the log says of a request. */
export interface LoggedRequest {
  readonly method: string
  readonly endpoint: string
  /** ISO 8601. */
  readonly at: string
}

/** What the wire says of it. */
export interface ArrivedRequest {
  readonly method: string
  /** Without query. */
  readonly path: string
  /** Epoch milliseconds, by the clock the log goes by: never after the instant in the log. */
  readonly arrivedAt: number
}

/**
 * The request that an entry of the log is about: of those to its path the one that had arrived last at that instant. Of
 * several within one millisecond, as on a clock that stands still, it is the first; then two that were on their way at
 * once may be taken for each other.
 *
 * @param waiting those without an entry, in the order they arrived
 */
export function ownerOf<T extends ArrivedRequest>(entry: LoggedRequest, waiting: readonly T[]): T | undefined {
  const at = Date.parse(entry.at)
  const before = waiting.filter(({ path, arrivedAt }) => path === entry.endpoint && Math.floor(arrivedAt) <= at)
  const latest = Math.max(...before.map(({ arrivedAt }) => Math.floor(arrivedAt)))
  const last = before.filter(({ arrivedAt }) => Math.floor(arrivedAt) === latest)
  return last.find(({ method }) => method === entry.method) ?? last[0]
}

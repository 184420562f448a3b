/** How long a connection may go without doing what it is there for; durations in milliseconds. */
export interface ConnectionLimits {
  /** From its first moment, or the end of the request before, to the last header of a request. */
  readonly headersMs: number
  /** Without a byte of a body that is waited for, or of an answer that waits to be read. */
  readonly stillMs: number
  /** Without a byte of a request that has been answered, on a connection that is about to end. */
  readonly lingerStillMs: number
  /** As long as such a connection may send at all. */
  readonly lingerMs: number
  /** So much of a request that has been answered is read and dropped. */
  readonly lingerBytes: number
}

/** Node looks for late headers so often; what it finds is at most that much later. */
export const headersLookMs = 5_000

export const usualLimits: ConnectionLimits = {
  headersMs: 60_000 - headersLookMs,
  stillMs: 120_000,
  lingerStillMs: 5_000,
  lingerMs: 300_000,
  // More than any client sends before it looks at the answer; after that it does not mean to look.
  lingerBytes: 1_073_741_824,
}

/** Time and size limits of a connection; durations in milliseconds. */
export interface ConnectionLimits {
  /** From the connection's start, or the end of the previous request, to the last header of a request. */
  readonly headersMs: number
  /** Longest pause while a request body is read or a reply is written. */
  readonly idleMs: number
  /** Longest pause in the rest of an answered request, on a connection that is about to end. */
  readonly lingerIdleMs: number
  /** Longest time in which such a connection may still send. */
  readonly lingerMs: number
  /** How much of an answered request is read and discarded. */
  readonly lingerBytes: number
}

/** How often Node looks for late headers; it closes them at most this much later. */
export const headersCheckMs = 5_000

export const defaultConnectionLimits: ConnectionLimits = {
  headersMs: 60_000 - headersCheckMs,
  idleMs: 120_000,
  lingerIdleMs: 5_000,
  lingerMs: 300_000,
  // More than any client sends before it reads the reply.
  lingerBytes: 1_073_741_824,
}

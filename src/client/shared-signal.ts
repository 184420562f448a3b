import { setMaxListeners } from 'node:events'

/**
 * Lets a signal stop any number of calls: each listens to it while it lasts, and Node takes more than ten listeners for
 * a leak and prints a warning.
 */
export function shareSignal(signal: AbortSignal | undefined): void {
  if (signal !== undefined) setMaxListeners(0, signal)
}

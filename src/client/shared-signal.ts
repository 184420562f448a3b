import { setMaxListeners } from 'node:events'

/** Lets any number of calls listen to one signal: by default Node warns of a leak at more than ten listeners. */
export function shareSignal(signal: AbortSignal | undefined): void {
  if (signal !== undefined) setMaxListeners(0, signal)
}

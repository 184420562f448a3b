import { type Clock, startTimer } from '../clock.ts'

/** Calls a function at intervals, from `start` until `stop`. No timer is left after `stop`. */
export interface Heartbeat {
  start(): void
  stop(): void
}

/** @param beat its failures are left to other calls to tell */
export function createHeartbeat(clock: Clock, intervalMs: number, beat: () => Promise<void>): Heartbeat {
  let stopTimer: (() => void) | undefined

  function next(): void {
    stopTimer = startTimer(clock, intervalMs, async () => {
      await beat().catch(() => {})
      if (stopTimer !== undefined) next()
    })
  }

  return {
    start() {
      if (stopTimer === undefined) next()
    },
    stop() {
      stopTimer?.()
      stopTimer = undefined
    },
  }
}

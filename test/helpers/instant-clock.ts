import type { Clock } from '../../src/clock.ts'

/** A clock on which a sleep ends at once and moves the time by its length; `sleeps` lists the lengths. */
export function instantClock(startAt = Date.parse('2026-11-20T12:00:00Z')): Clock & { readonly sleeps: number[] } {
  let now = startAt
  const sleeps: number[] = []
  return {
    sleeps,
    now: () => now,
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      sleeps.push(ms)
      now += ms
    },
  }
}

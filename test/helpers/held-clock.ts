import { type Clock, systemClock } from '../../src/clock.ts'
import { orAborted } from '../../src/system/signals.ts'

/** A fault with this delay keeps an answer back until {@link heldClock} is released. */
export const HELD_MS = 60_000

/** The machine's clock for an emulator, except that waits of {@link HELD_MS} end when the test releases them. */
export function heldClock(): Clock & { release(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return {
    now: systemClock.now,
    sleep: (ms, signal = new AbortController().signal) =>
      ms < HELD_MS ? systemClock.sleep(ms, signal) : orAborted(promise, signal),
    release: resolve,
  }
}

/** A time left that is shown to people. Milliseconds. */
export interface Countdown {
  readonly left: number
  readonly at: number
}

/** A smaller difference between what is shown and what is expected is left alone. */
const TOLERATED_SHARE = 0.1
const TOLERATED_MS = 2_000
/** A larger one means that something has happened, such as a refusal: what is shown jumps. */
const JUMP_SHARE = 0.5
const JUMP_MS = 3_000

/**
 * Counts down by the clock, and follows a changed expectation by standing still or going twice as fast, so that the time
 * shown does not jump to and fro with the rate of the link.
 *
 * @param shown undefined if nothing is shown yet
 * @param expected undefined if the time left is unknown
 */
export function countDown(
  shown: Countdown | undefined,
  expected: number | undefined,
  now: number,
): Countdown | undefined {
  if (expected === undefined || shown === undefined)
    return expected === undefined ? undefined : { left: expected, at: now }
  const passed = Math.max(now - shown.at, 0)
  const left = Math.max(shown.left - passed, 0)
  const off = expected - left
  if (Math.abs(off) > Math.max(expected * JUMP_SHARE, JUMP_MS)) return { left: expected, at: now }
  if (Math.abs(off) <= Math.max(expected * TOLERATED_SHARE, TOLERATED_MS)) return { left, at: now }
  return { left: Math.max(left + Math.sign(off) * Math.min(Math.abs(off), passed), 0), at: now }
}

import type { TimeAhead } from '../time-ahead.ts'

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

/** A forecast, and the files in transfer to which its times belong. */
interface Forecasted {
  readonly ahead: TimeAhead | undefined
  readonly files: readonly number[]
}

const LEAST_PAUSE_MS = 2_000
/** Forecasts take at most 1/20 of a run's time. */
const SHARE_OF_RUN = 20

/** Asks for a forecast from time to time, and counts down in between. */
export function createCountdowns() {
  let latest: (Forecasted & { readonly at: number }) | undefined
  let shown: ReadonlyMap<number | 'batch', Countdown> = new Map()

  return {
    /**
     * Times left, as they are shown, in milliseconds: of the batch, undefined if it is unknown, and of files in transfer, by
     * their places in the batch.
     */
    at(now: number, ask: () => Forecasted) {
      const pauseMs = Math.max(LEAST_PAUSE_MS, (latest?.ahead?.tookMs ?? 0) * SHARE_OF_RUN)
      if (latest?.ahead === undefined || now - latest.at >= pauseMs) latest = { ...ask(), at: now }
      const { ahead, files, at } = latest
      const expected = [
        ['batch', ahead?.leftMs] as const,
        ...files.map((file, place) => [file, ahead?.underWayMs[place]] as const),
      ]
      const counted = expected.map(([key, ms]) => {
        return [key, countDown(shown.get(key), ms === undefined ? ms : Math.max(ms - (now - at), 0), now)] as const
      })
      shown = new Map(counted.flatMap(([key, countdown]) => (countdown ? [[key, countdown] as const] : [])))
      const batch = shown.get('batch')?.left
      const lefts = files.flatMap((file) => {
        const left = shown.get(file)?.left
        return left === undefined || batch === undefined ? [] : [[file, Math.min(left, batch)] as const]
      })
      return { batch, files: new Map(lefts) }
    },
  }
}

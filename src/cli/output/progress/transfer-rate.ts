/** What was transferred lately. What is older weighs less, by half for every {@link HALF_LIFE_MS}. */
export interface RateMeter {
  /** Weighted, as is `ms`. */
  readonly bytes: number
  /** Time in which something was in transfer. */
  readonly ms: number
  /** The same time, unweighted. */
  readonly measuredMs: number
  /** The end of what was measured, in milliseconds. */
  readonly at: number
}

const HALF_LIFE_MS = 5_000
const MEAN_LIFE_MS = HALF_LIFE_MS / Math.LN2
/** Before, buffers that fill at once make a rate look too high. */
const TRUSTED_AFTER_MS = 2_000

export function startRate(now: number): RateMeter {
  return { bytes: 0, ms: 0, measuredMs: 0, at: now }
}

/**
 * @param isBusy whether anything was in transfer since: the pauses between do not slow the rate
 * @param bytes transferred since
 */
export function measured(meter: RateMeter, now: number, isBusy: boolean, bytes = 0): RateMeter {
  const passedMs = Math.max(now - meter.at, 0)
  if (!isBusy) return { ...meter, bytes: meter.bytes + bytes, at: now }
  const kept = Math.exp(-passedMs / MEAN_LIFE_MS)
  const addedMs = MEAN_LIFE_MS * (1 - kept)
  return {
    // The bytes came in the course of that time, so they weigh what it weighs.
    bytes: meter.bytes * kept + (passedMs === 0 ? bytes : bytes * (addedMs / passedMs)),
    ms: meter.ms * kept + addedMs,
    measuredMs: meter.measuredMs + passedMs,
    at: now,
  }
}

/** Bytes per second; undefined before it can be trusted. */
export function bytesPerSecond({ bytes, ms, measuredMs }: RateMeter): number | undefined {
  return measuredMs < TRUSTED_AFTER_MS || bytes < 1 ? undefined : (bytes / ms) * 1_000
}

/** What was transferred lately. What is older weighs less, by half for every {@link HALF_LIFE_MS}. */
export interface RateMeter {
  /** Weighted, as is `ms`. */
  readonly bytes: number
  /** Time in which something was in transfer. */
  readonly ms: number
  /** How much more of that time has to pass before the rate can be trusted, unweighted. */
  readonly untrustedMs: number
  /** The end of what was measured, in milliseconds. */
  readonly at: number
  /** When bytes moved last. */
  readonly movedAt: number
}

/** What is in transfer: nothing, bytes, or only files that were sent and are not answered yet. */
export type Traffic = 'none' | 'moving' | 'storing'

const HALF_LIFE_MS = 5_000
const MEAN_LIFE_MS = HALF_LIFE_MS / Math.LN2
/** Before, buffers that fill at once make a rate look too high. */
const TRUSTED_AFTER_MS = 2_000
/** A process looks each second at least, unless it was stopped: by Ctrl-Z, or with the whole machine. */
const LONGEST_LOOK_MS = 3_000
/** After so long without bytes, a link stands still. */
const STALLED_AFTER_MS = 2_000
/** When it goes on, buffers that ran empty meanwhile fill at once. */
const REFILLED_AFTER_MS = 500

export function startRate(now: number, untrustedMs = TRUSTED_AFTER_MS): RateMeter {
  return { bytes: 0, ms: 0, untrustedMs, at: now, movedAt: now }
}

/**
 * @param traffic since: pauses between transfers, and those in which a link stands still, do not slow the rate
 * @param bytes transferred since
 */
export function measured(meter: RateMeter, now: number, traffic: Traffic, bytes = 0): RateMeter {
  const passedMs = Math.max(now - meter.at, 0)
  const movedAt = bytes > 0 ? now : meter.movedAt
  if (traffic === 'none') return { ...meter, bytes: meter.bytes + bytes, at: now, movedAt: now }
  if (passedMs > LONGEST_LOOK_MS) return startRate(now, TRUSTED_AFTER_MS + REFILLED_AFTER_MS)
  if (traffic === 'moving' && now - movedAt > STALLED_AFTER_MS) return { ...meter, at: now }
  const untrustedMs = Math.max(meter.untrustedMs - passedMs, 0)
  if (untrustedMs > TRUSTED_AFTER_MS) return { ...meter, untrustedMs, at: now, movedAt }
  const kept = Math.exp(-passedMs / MEAN_LIFE_MS)
  const addedMs = MEAN_LIFE_MS * (1 - kept)
  return {
    // The bytes came in the course of that time, so they weigh what it weighs.
    bytes: meter.bytes * kept + (passedMs === 0 ? bytes : bytes * (addedMs / passedMs)),
    ms: meter.ms * kept + addedMs,
    untrustedMs,
    at: now,
    movedAt,
  }
}

/** A file that has arrived proves what moved, whatever buffers there are. */
export function proven(meter: RateMeter): RateMeter {
  return { ...meter, untrustedMs: Math.min(meter.untrustedMs, meter.bytes > 0 ? 0 : TRUSTED_AFTER_MS) }
}

/** Bytes per second; undefined before it can be trusted. */
export function bytesPerSecond({ bytes, ms, untrustedMs }: RateMeter): number | undefined {
  return untrustedMs > 0 || bytes < 1 || ms === 0 ? undefined : (bytes / ms) * 1_000
}

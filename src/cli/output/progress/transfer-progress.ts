import type { ClientEvent } from '../../../index.ts'
import type { PacingWait } from '../../../internal.ts'

/** What a file waits for. */
export type PacingReason = Pick<PacingWait, 'window' | 'source'>

/** The current state of one file. Times are epoch milliseconds. */
export type Activity =
  | { readonly type: 'preparing' }
  | { readonly type: 'moving'; readonly bytes: number; readonly meter: RateMeter }
  /** Sent completely, not answered yet. */
  | { readonly type: 'storing' }
  | { readonly type: 'waiting'; readonly until: number; readonly wait: PacingReason }
  | { readonly type: 'retrying'; readonly until: number; readonly reason: string }
  /** Reads the list of uploads to find out whether it was stored. */
  | { readonly type: 'checking' }

export interface Transfer {
  /** Its place in the batch, from 0. */
  readonly index: number
  readonly name: string
  /** In bytes; undefined while unknown. */
  readonly size: number | undefined
  readonly activity: Activity
}

/** The activity after bytes were sent or received. */
export function afterBytes(activity: Activity, bytes: number, size: number | undefined, now: number): Activity {
  if (size !== undefined && bytes >= size) return { type: 'storing' }
  // Bytes of an earlier run do not count for the rate; a transfer that restarts at 0 restarts the measurement.
  const goesOn = activity.type === 'moving' && bytes >= activity.bytes
  const meter = goesOn ? measured(activity.meter, now, 'moving', bytes - activity.bytes) : startRate(now)
  return { type: 'moving', bytes, meter }
}

/** The activity after an event of the client. */
export function afterEvent(activity: Activity, event: ClientEvent, now: number): Activity {
  switch (event.type) {
    case 'wait':
      return { type: 'waiting', until: now + event.delayMs, wait: { window: event.window, source: event.source } }
    case 'retry':
      return { type: 'retrying', until: now + event.delayMs, reason: event.reason }
    case 'request':
      // Besides the POST, an upload only requests the list.
      return event.request.method === 'POST'
        ? { type: 'moving', bytes: 0, meter: startRate(now) }
        : { type: 'checking' }
    default:
      return activity
  }
}

/** How long a file waits at least, as far as the client has said. */
export function waitLeft({ activity }: Transfer, now: number): number {
  return activity.type === 'waiting' || activity.type === 'retrying' ? activity.until - now : 0
}

/** What is on its way, rather than waiting for its turn. */
export function trafficOf(transfers: readonly Transfer[]): Traffic {
  const types = transfers.map(({ activity }) => activity.type)
  if (types.includes('storing')) return 'storing'
  return types.includes('moving') ? 'moving' : 'none'
}

/** Whether the service is answering a request for it. */
export function isOnWire({ activity }: Transfer): boolean {
  return activity.type === 'moving' || activity.type === 'storing' || activity.type === 'checking'
}

/** How many bytes a report adds to those reported before; a transfer that restarts adds none. */
export function bytesMovedSince({ activity }: Transfer, bytes: number): number {
  return activity.type === 'moving' ? Math.max(bytes - activity.bytes, 0) : 0
}

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

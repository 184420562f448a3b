import { windowLengthMs } from '../../protocol/rate-limits.ts'
import { marginMs } from './sliding-log.ts'

/** What an answer's Remaining comes down to. */
export interface RestReport {
  /** Less the costs of all requests that may have been charged after it. */
  readonly remaining: number
  readonly at: number
  /** When the minute ends, where the service says so; epoch milliseconds by this machine's clock. */
  readonly endsAt: number | undefined
  /** Whether others use the key as well. */
  readonly isForeign: boolean
}

const memoryMs = windowLengthMs.minute + marginMs(windowLengthMs.minute)

/**
 * What is left of the minute at the least, as the service itself says. Whatever its kind, what is free never becomes
 * less without a charge: an answer's Remaining, less all that may have been charged since, can be relied on.
 */
export function createMinuteRest() {
  let rest = Number.POSITIVE_INFINITY
  let toldAt = Number.NEGATIVE_INFINITY
  let foreignAt = Number.NEGATIVE_INFINITY
  let endsAt = Number.NEGATIVE_INFINITY

  return {
    tell(report: RestReport): void {
      const isFresh = report.at - toldAt < memoryMs && !report.isForeign
      // Answers of requests that overlapped tell too little, each subtracting the other: the highest is right.
      rest = isFresh ? Math.max(rest, report.remaining) : report.remaining
      toldAt = report.at
      if (report.isForeign) foreignAt = report.at
      const isMinute = report.endsAt !== undefined && report.endsAt > toldAt && report.endsAt < toldAt + memoryMs
      endsAt = isMinute && report.endsAt !== undefined ? report.endsAt : toldAt + memoryMs
    },
    /** A request is under way, or (below zero) has never been. */
    spend(units: number): void {
      rest -= units
    },
    /** The minute has refused: how long to hold back, that refusal says. */
    refuse(): void {
      rest = 0
      endsAt = Number.NEGATIVE_INFINITY
    },
    /** Whether so many units are free for certain. Others make it uncertain, and so does time. */
    has: (units: number, now: number) => rest >= units && now - toldAt < memoryMs && now - foreignAt >= memoryMs,
    /** Until when a request is to be held back because the service says that there is nothing left (spec 8.4). */
    spentUntil: (units: number) => (rest < units ? endsAt : Number.NEGATIVE_INFINITY),
    clampTo(now: number): void {
      toldAt = Math.min(toldAt, now)
      foreignAt = Math.min(foreignAt, now)
      endsAt = Math.min(endsAt, toldAt + memoryMs)
    },
  }
}

import { windowLengthMs } from '../../protocol/rate-limits.ts'
import { marginMs } from './sliding-log.ts'

/** An answer's Remaining. */
export interface RemainingReport {
  /** Less the costs of all requests that may have been charged after the answer was made. */
  readonly remaining: number
  readonly at: number
  /** When the minute ends, if the service says so; epoch milliseconds by this machine's clock. */
  readonly endsAt: number | undefined
  /** Whether the answer shows use by others. */
  readonly isForeign: boolean
}

const memoryMs = windowLengthMs.minute + marginMs(windowLengthMs.minute)

/**
 * The least that is left of the minute, according to the service. In a window of any kind free units only become fewer
 * by a charge, so an answer's Remaining, less everything charged since, is certainly free.
 */
export function createReportedRemaining() {
  let left = Number.POSITIVE_INFINITY
  let reportedAt = Number.NEGATIVE_INFINITY
  let foreignAt = Number.NEGATIVE_INFINITY
  let endsAt = Number.NEGATIVE_INFINITY

  return {
    report(report: RemainingReport): void {
      const isFresh = report.at - reportedAt < memoryMs && !report.isForeign
      // Overlapping requests are each subtracted from the other's report, so each is too low: the highest counts.
      left = isFresh ? Math.max(left, report.remaining) : report.remaining
      reportedAt = report.at
      if (report.isForeign) foreignAt = report.at
      const isMinute =
        report.endsAt !== undefined && report.endsAt > reportedAt && report.endsAt < reportedAt + memoryMs
      endsAt = isMinute && report.endsAt !== undefined ? report.endsAt : reportedAt + memoryMs
    },
    /** Reserves units; a negative amount returns them. */
    spend(units: number): void {
      left -= units
    },
    /** The minute has refused; the refusal itself says how long to wait. */
    refuse(): void {
      left = 0
      endsAt = Number.NEGATIVE_INFINITY
    },
    /** Whether so many units are certainly free: not if others use the key, and not a minute after the last report. */
    has: (units: number, now: number) => left >= units && now - reportedAt < memoryMs && now - foreignAt >= memoryMs,
    /** How long a request waits because the service reports too few units left (spec 8.4). */
    spentUntil: (units: number) => (left < units ? endsAt : Number.NEGATIVE_INFINITY),
    clampTo(now: number): void {
      reportedAt = Math.min(reportedAt, now)
      foreignAt = Math.min(foreignAt, now)
      endsAt = Math.min(endsAt, reportedAt + memoryMs)
    },
  }
}

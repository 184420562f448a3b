import { agedOffset, type ClockOffset, narrowOffset } from '../../pacing/book/service-clock.ts'
import type { ClientEvent } from '../events.ts'

/** How far the service's clock is ahead of this machine's, at least and at most, in milliseconds. */
export type OffsetBounds = Pick<ClockOffset, 'least' | 'most'>

/** What is known of the service's clock. */
export interface ServiceClock {
  /** Learns from the Date header of an answer, told at the moment its headers are in. */
  observe(event: ClientEvent, now: number): void
  offset(now: number): OffsetBounds
}

/** What is assumed of a service that does not tell the time, or of one whose headers a browser hides. */
const ASSUMED: OffsetBounds = { least: -600_000, most: 600_000 }

export function createServiceClock(): ServiceClock {
  let known: ClockOffset | undefined
  return {
    observe(event, now) {
      if (event.type !== 'response' || event.report.serverNow === undefined) return
      const { serverNow } = event.report
      known = narrowOffset(known, { serverNow, sentAt: now - event.durationMs, answeredAt: now })
    },
    offset: (now) => (known === undefined ? ASSUMED : agedOffset(known, now)),
  }
}

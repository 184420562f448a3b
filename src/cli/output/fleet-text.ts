import type { Quota } from '../../index.ts'
import { counted } from '../../protocol/quantities.ts'
import { windowLengthMs, windowNames } from '../../protocol/rate-limits.ts'
import { printable } from '../format/format.ts'
import { formatDuration } from '../format/time.ts'

/** The runners that share a ledger, as in the JSON output. */
export interface FleetView {
  /** Its URL without user and password. */
  readonly server: string
  /** How many were heard of within half a minute. */
  readonly runners: number
  /** Requests that are under way. */
  readonly in_flight: { readonly requests: number; readonly units: number }
  /** What each runner keeps to where it cannot reach the others: so many units in so many seconds, by window. */
  readonly share: Readonly<Record<string, { readonly units: number; readonly seconds: number }>>
  /** Since when Redis has lost nothing. ISO 8601. */
  readonly since: string
}

export interface FleetFacts {
  readonly server: string
  readonly runners: number
  readonly since: number
  readonly inFlight: readonly { readonly cost: number }[]
  readonly windows: Quota
}

/** Runners that are cut off keep the limits in windows as many times as long as there are runners. */
export function toFleetView({ server, runners, since, inFlight, windows }: FleetFacts): FleetView {
  const shares = windowNames.flatMap((name) => {
    const units = windows[name]?.limit ?? null
    return units === null
      ? []
      : [[name, { units, seconds: (windowLengthMs[name] / 1_000) * Math.max(runners, 1) }] as const]
  })
  return {
    server,
    runners,
    in_flight: { requests: inFlight.length, units: inFlight.reduce((sum, { cost }) => sum + cost, 0) },
    share: Object.fromEntries(shares),
    since: new Date(since).toISOString(),
  }
}

export function fleetLines({ server, runners, in_flight, share }: FleetView): readonly string[] {
  const { units, requests } = in_flight
  const count = `${printable(server)}: ${counted(runners, 'runner')} seen, ${counted(units, 'unit')} in flight${requests === 0 ? '' : ` (${counted(requests, 'request')})`}`
  const parts = Object.values(share).map(
    ({ units: most, seconds }) => `${most.toLocaleString('en')} in ${formatDuration(seconds * 1_000)}`,
  )
  return [count, ...(parts.length === 0 ? [] : [`Without Redis, each runner would keep to ${parts.join(', ')}`])]
}

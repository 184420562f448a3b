import type { Quota } from '../../index.ts'
import { counted } from '../../protocol/quantities.ts'
import { windowLengthMs, windowNames } from '../../protocol/rate-limits.ts'
import { formatDuration, printable } from '../format/format.ts'

interface FleetFacts {
  readonly server: string
  readonly runners: number
  readonly since: number
  readonly inFlight: readonly { readonly cost: number }[]
  readonly windows: Quota
}

/** The runners that share a ledger, as in the JSON output. */
export type FleetView = ReturnType<typeof toFleetView>

export function toFleetView({ server, runners, since, inFlight, windows }: FleetFacts) {
  // Runners that are cut off keep the limits in windows as many times as long as there are runners.
  const shares = windowNames.flatMap((name) => {
    const units = windows[name]?.limit ?? null
    const seconds = (windowLengthMs[name] / 1_000) * Math.max(runners, 1)
    return units === null ? [] : [[name, { units, seconds }] as const]
  })
  return {
    /** Its URL without user and password. */
    server,
    /** How many were heard of within half a minute. */
    runners,
    /** Requests that are under way. */
    in_flight: { requests: inFlight.length, units: inFlight.reduce((sum, { cost }) => sum + cost, 0) },
    /** What each runner keeps to where it cannot reach the others: so many units in so many seconds, by window. */
    share: Object.fromEntries(shares),
    /** Since when Redis has lost nothing. ISO 8601. */
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

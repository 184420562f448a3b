import { type WindowKind, windowLengthMs } from '../protocol/rate-limits.ts'
import type { SeenMinute, SeenRequest } from './ledger.ts'
import type { RateReport } from './rate-headers.ts'

/** Times are epoch milliseconds by the service's clock. */
interface Charge {
  readonly at: number
  readonly units: number
}

/** A minute at one instant. */
interface Count {
  /** The charges that count still, or will. */
  readonly kept: readonly Charge[]
  /** The part of their units that counts no longer. */
  readonly faded?: number
  /** When none of them will count. */
  readonly emptyAt: number
}

const LENGTH_MS = windowLengthMs.minute

const totalOf = (charges: readonly Charge[]) => charges.reduce((sum, { units }) => sum + units, 0)
const since = (charges: readonly Charge[], instant: number) => charges.filter(({ at }) => at >= instant)
const beginOf = (at: number) => at - (at % LENGTH_MS)

/** How a service counts its minute. */
const counts: Readonly<Record<WindowKind, (charges: readonly Charge[], at: number, limit: number) => Count>> = {
  sliding: (charges, at) => ({
    kept: since(charges, at - LENGTH_MS + 1),
    emptyAt: (charges.at(-1)?.at ?? at) + LENGTH_MS,
  }),
  fixed(charges, at) {
    const emptyAt = (charges[0]?.at ?? at) + LENGTH_MS
    return { kept: at < emptyAt ? charges : [], emptyAt }
  },
  aligned: (charges, at) => ({ kept: since(charges, beginOf(at)), emptyAt: beginOf(at) + LENGTH_MS }),
  sliding_counter(charges, at) {
    const begin = beginOf(at)
    const kept = since(charges, begin - LENGTH_MS)
    const before = totalOf(kept) - totalOf(since(kept, begin))
    return { kept, faded: (before * (at - begin)) / LENGTH_MS, emptyAt: begin + 2 * LENGTH_MS }
  },
  token_bucket(charges, at, limit) {
    const regained = (units: number, ms: number) => Math.max(units - (ms * limit) / LENGTH_MS, 0)
    const missing = (since: Charge, { at, units }: Charge) => ({
      at,
      units: regained(since.units, at - since.at) + units,
    })
    const { units } = [...charges, { at, units: 0 }].reduce(missing)
    return { kept: [{ at, units }], emptyAt: at + (units * LENGTH_MS) / limit }
  },
}

/** Where answers fit several kinds, the first of them is expected: a log takes longest of those that cannot be told apart. */
const likeliestFirst: readonly WindowKind[] = ['sliding', 'fixed', 'aligned', 'sliding_counter', 'token_bucket']

/** Requests are under way for a while before they are charged; Date and Reset have whole seconds. */
const TOLERATED_MS = 2_500

/** So many requests are replayed one by one. Of an account with high limits there are thousands: those close together are one. */
const MOST_REPLAYED = 500

function condensed(requests: readonly SeenRequest[]): readonly SeenRequest[] {
  if (requests.length <= MOST_REPLAYED) return requests
  const all: SeenRequest[] = []
  for (const request of requests) {
    const before = all.at(-1)
    const isClose = before !== undefined && request.sentAt - before.sentAt < (2 * LENGTH_MS) / MOST_REPLAYED
    if (isClose) all.splice(-1, 1, { ...request, sentAt: before.sentAt, units: before.units + request.units })
    else all.push(request)
  }
  return all
}

/** What counts by one kind of window after all requests so far, and how many answers name another Reset. */
function replayed(kind: WindowKind, { requests, aheadMs }: SeenMinute, limit: number) {
  const count = counts[kind]
  let charges: readonly Charge[] = []
  let misfits = 0
  for (const { sentAt, units, used, resetAt } of requests) {
    const at = sentAt + aheadMs
    charges = [...count(charges, at, limit).kept, { at, units }]
    if (used === undefined || resetAt === undefined) continue
    if (Math.abs(count(charges, at, limit).emptyAt - resetAt) > TOLERATED_MS) misfits += 1
    // Requests from before the first of these may count too.
    if (kind === 'fixed') charges = [{ at: resetAt - LENGTH_MS, units: used }]
    if (kind === 'token_bucket') charges = [{ at, units: used }]
  }
  return { count, charges, misfits }
}

/**
 * A service that counts its minute as the answers so far let expect: by the kind of window that they have not ruled out and
 * whose end they name most often. What Reset means is not specified (spec 8.2), so pacing must not rely on it like this.
 *
 * @param limit in units; null where the minute has none
 */
export function createSimulatedMinute(seen: SeenMinute, limit: number | null) {
  const kinds = likeliestFirst.filter(seen.mayBe)
  const requests = condensed(seen.requests)
  const replays = kinds.map((kind) => replayed(kind, { ...seen, requests }, limit ?? 1))
  const likeliest = replays.reduce((best, replay) => (replay.misfits < best.misfits ? replay : best))
  let { charges } = likeliest

  return {
    /** Charges a request. @returns what its answer shows but for its Date */
    charge(at: number, units: number): RateReport {
      if (limit === null) return { cost: units }
      const now = at + seen.aheadMs
      charges = [...likeliest.count(charges, now, limit).kept, { at: now, units }]
      const { kept, faded = 0, emptyAt: resetAt } = likeliest.count(charges, now, limit)
      return { cost: units, limit, remaining: Math.max(limit - Math.ceil(totalOf(kept) - faded), 0), resetAt }
    },
    /** The Date of an answer, in whole seconds. */
    dateAt: (at: number) => Math.floor((at + seen.aheadMs) / 1_000) * 1_000,
  }
}

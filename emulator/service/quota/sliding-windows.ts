import type { WindowUse } from '../../storage/record-types.ts'
import { type Codec, listOf, objectOf } from '../../values/codec.ts'
import { count, instant, numberWithin, oneOf } from '../../values/value-type.ts'

/** A window's length and limit, at one instant. */
export interface WindowMoment {
  /** Epoch milliseconds. */
  readonly now: number
  readonly lengthMs: number
  /** In units; null means unlimited. */
  readonly limit: number | null
}

/** Units charged at one instant. */
export interface Charge {
  readonly at: number
  readonly units: number
}

/** The rules of one kind of window. They are given only uses of that kind, and none that lies in the future. */
export interface WindowRules<Use extends WindowUse = WindowUse> {
  /** How snapshots write a use. */
  readonly codec: Codec<Use, unknown>
  /** Units that count against the limit, rounded up. */
  used(use: Use | undefined, moment: WindowMoment): number
  /** The use after a charge of `units` now. */
  charged(use: Use | undefined, units: number, moment: WindowMoment): Use
  /** The use without an earlier charge, as far as that still counts. */
  refunded(use: Use, charge: Charge, moment: WindowMoment): Use
  /** The first instant from now on at which at most `units` count, if nothing else is charged. */
  availableAt(use: Use | undefined, units: number, moment: WindowMoment): number
  /** The use after the clock was set back to now, as if the last charge was made now; itself if none is in the future. */
  clamped(use: Use, moment: Pick<WindowMoment, 'now' | 'lengthMs'>): Use
}

/** When the current period of the UTC clock began. */
export function periodStart({ now, lengthMs }: Pick<WindowMoment, 'now' | 'lengthMs'>): number {
  return Math.floor(now / lengthMs) * lengthMs
}

/** The units of the clock's current period and of the one before. */
interface CounterUse extends WindowUse {
  readonly kind: 'sliding_counter'
  readonly startedAt: number
  readonly units: number
  readonly unitsBefore: number
}

/**
 * Counts the units of the clock's current period, plus the previous period's units weighted by its share of the window.
 */
export const slidingCounter: WindowRules<CounterUse> = {
  codec: objectOf({ kind: oneOf('sliding_counter'), startedAt: instant, units: count, unitsBefore: count }),
  used(use, moment) {
    const { startedAt, units, unitsBefore } = currentCounters(use, moment)
    const reached = startedAt + moment.lengthMs - moment.now
    return units + Math.ceil((unitsBefore * reached) / moment.lengthMs)
  },
  charged(use, units, moment) {
    const counters = currentCounters(use, moment)
    return { ...counters, units: counters.units + units }
  },
  refunded(use, charge, moment) {
    const { startedAt, units, unitsBefore } = currentCounters(use, moment)
    const isIn = (periodStartedAt: number) =>
      charge.at >= periodStartedAt && charge.at < periodStartedAt + moment.lengthMs
    return {
      kind: 'sliding_counter',
      startedAt,
      units: Math.max(units - (isIn(startedAt) ? charge.units : 0), 0),
      unitsBefore: Math.max(unitsBefore - (isIn(startedAt - moment.lengthMs) ? charge.units : 0), 0),
    }
  },
  availableAt(use, most, moment) {
    if (slidingCounter.used(use, moment) <= most) return moment.now
    const { startedAt, units, unitsBefore } = currentCounters(use, moment)
    const { lengthMs } = moment
    // Units of the current period expire only during the next one.
    const faded = units > most ? startedAt + lengthMs : startedAt
    const [fading, room] = units > most ? [units, most] : [unitsBefore, most - units]
    return faded + Math.ceil(((fading - room) * lengthMs) / fading)
  },
  clamped(use, moment) {
    if (use.startedAt <= moment.now) return use
    // It is unknown how much of the previous period had expired, so all of it counts.
    return { ...use, startedAt: periodStart(moment), units: use.units + use.unitsBefore, unitsBefore: 0 }
  },
}

function currentCounters(use: CounterUse | undefined, moment: WindowMoment): CounterUse {
  const startedAt = periodStart(moment)
  if (use?.startedAt === startedAt) return use
  const unitsBefore = use?.startedAt === startedAt - moment.lengthMs ? use.units : 0
  return { kind: 'sliding_counter', startedAt, units: 0, unitsBefore }
}

/** Every charge, oldest first. */
export interface SlidingUse extends WindowUse {
  readonly kind: 'sliding'
  readonly charges: readonly Charge[]
}

/** Every charge counts for exactly one window length. */
export const slidingWindow: WindowRules<SlidingUse> = {
  codec: objectOf({ kind: oneOf('sliding'), charges: listOf(objectOf({ at: instant, units: count })) }),
  used: (use, moment) => sum(activeCharges(use, moment)),
  charged(use, units, moment) {
    const charges = activeCharges(use, moment)
    const last = charges.at(-1)
    const isSameInstant = last?.at === moment.now
    const before = isSameInstant ? charges.slice(0, -1) : charges
    const charge = { at: moment.now, units: isSameInstant ? last.units + units : units }
    return { kind: 'sliding', charges: mergeExcess([...before, charge], moment.lengthMs) }
  },
  refunded(use, charge, moment) {
    if (moment.now >= charge.at + moment.lengthMs) return use
    const charges = activeCharges(use, moment)
    // Merged charges have the instant of their last.
    const index = charges.findIndex(({ at }) => at >= charge.at)
    const left = charges.map((item, at) => (at === index ? { ...item, units: item.units - charge.units } : item))
    return { kind: 'sliding', charges: left.filter(({ units }) => units > 0) }
  },
  availableAt(use, units, moment) {
    const charges = activeCharges(use, moment)
    let total = sum(charges)
    let freeAt = moment.now
    for (const charge of charges) {
      if (total <= units) break
      total -= charge.units
      freeAt = charge.at + moment.lengthMs
    }
    return freeAt
  },
  clamped(use, { now }) {
    const aheadMs = (use.charges.at(-1)?.at ?? now) - now
    if (aheadMs <= 0) return use
    return { ...use, charges: use.charges.map(({ at, units }) => ({ at: at - aheadMs, units })) }
  },
}

function activeCharges(use: SlidingUse | undefined, { now, lengthMs }: WindowMoment): readonly Charge[] {
  const charges = use?.charges ?? []
  const first = charges[0]
  if (first !== undefined && now < first.at + lengthMs) return charges
  return charges.filter(({ at }) => now < at + lengthMs)
}

function sum(charges: readonly Charge[]): number {
  let total = 0
  for (const { units } of charges) total += units
  return total
}

/** More charges are merged; only the default limit of a day allows more. */
const maxCharges = 2_048

/** A merged window has at most one charge per slot. */
const slotsPerWindow = 1_024

/**
 * Bounds the window's size: merges the charges of a slot at the instant of the last, so that units may count up to one
 * slot too long, never too short.
 */
function mergeExcess(charges: readonly Charge[], lengthMs: number): readonly Charge[] {
  if (charges.length <= maxCharges) return charges
  const slotOf = ({ at }: Charge) => Math.floor((at * slotsPerWindow) / lengthMs)
  const merged: Charge[] = []
  for (const charge of charges) {
    const last = merged.at(-1)
    if (last === undefined || slotOf(last) !== slotOf(charge)) merged.push(charge)
    else merged[merged.length - 1] = { at: charge.at, units: last.units + charge.units }
  }
  return merged
}

interface BucketUse extends WindowUse {
  readonly kind: 'token_bucket'
  readonly at: number
  /** Units that are missing, times the window's milliseconds; fractional if the clock is. */
  readonly debt: number
}

/** Refills evenly over the window's length, up to the limit: each millisecond repays `limit` of the debt. */
export const tokenBucket: WindowRules<BucketUse> = {
  codec: objectOf({
    kind: oneOf('token_bucket'),
    at: instant,
    debt: numberWithin('a number from zero up', { from: 0 }),
  }),
  used: (use, moment) => Math.ceil(debt(use, moment) / moment.lengthMs),
  charged(use, units, moment) {
    // An unlimited bucket has no debt.
    const more = moment.limit === null ? 0 : units * moment.lengthMs
    return { kind: 'token_bucket', at: moment.now, debt: debt(use, moment) + more }
  },
  refunded(use, charge, moment) {
    // The charge has been repaid completely by then.
    if (moment.now >= charge.at + moment.lengthMs) return use
    const left = debt(use, moment) - charge.units * moment.lengthMs
    return { kind: 'token_bucket', at: moment.now, debt: Math.max(left, 0) }
  },
  availableAt(use, units, moment) {
    const excess = debt(use, moment) - units * moment.lengthMs
    if (excess <= 0) return moment.now
    // A bucket of size zero never refills; clients are told to retry after a window's length.
    return moment.now + (moment.limit ? Math.ceil(excess / moment.limit) : moment.lengthMs)
  },
  clamped: (use, { now }) => (use.at > now ? { ...use, at: now } : use),
}

function debt(use: BucketUse | undefined, { now, limit }: WindowMoment): number {
  return use === undefined || limit === null ? 0 : Math.max(use.debt - (now - use.at) * limit, 0)
}

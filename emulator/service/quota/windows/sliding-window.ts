import type { WindowUse } from '../../../storage/record-types.ts'
import { listOf, objectOf } from '../../../values/codec.ts'
import { count, instant, oneOf } from '../../../values/value-type.ts'
import type { Charge, WindowMoment, WindowRules } from './window-rules.ts'

/** Every charge, oldest first. */
export interface SlidingUse extends WindowUse {
  readonly kind: 'sliding'
  readonly charges: readonly Charge[]
}

/** Every charge counts for exactly one window length. */
export const slidingWindow: WindowRules<SlidingUse> = {
  meaning: 'each charge counts for exactly one window',
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

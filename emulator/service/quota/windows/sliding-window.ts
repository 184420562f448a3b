import type { Charge, WindowUse } from '../../../storage/window-use.ts'
import type { Moment, WindowKind } from './window-kind.ts'

/** Every charge counts for the window's length, to the millisecond. */
export const slidingWindow: WindowKind = {
  used: (use, moment) => sum(within(use, moment)),
  charged(use, units, moment) {
    const charges = within(use, moment)
    const last = charges.at(-1)
    const isSameInstant = last?.at === moment.now
    const before = isSameInstant ? charges.slice(0, -1) : charges
    const charge = { at: moment.now, units: isSameInstant ? last.units + units : units }
    return { kind: 'sliding', charges: bounded([...before, charge], moment.lengthMs) }
  },
  refunded(use, charge, moment) {
    if (moment.now >= charge.at + moment.lengthMs) return use
    const charges = within(use, moment)
    // Charges that were put together stand at the instant of their last.
    const index = charges.findIndex(({ at }) => at >= charge.at)
    const left = charges.map((item, at) => (at === index ? { ...item, units: item.units - charge.units } : item))
    return { kind: 'sliding', charges: left.filter(({ units }) => units > 0) }
  },
  fallsTo(use, units, moment) {
    const charges = within(use, moment)
    let total = sum(charges)
    let freeAt = moment.now
    for (const charge of charges) {
      if (total <= units) break
      total -= charge.units
      freeAt = charge.at + moment.lengthMs
    }
    return freeAt
  },
}

/** The charges that count now. */
function within(use: WindowUse | undefined, { now, lengthMs }: Moment): readonly Charge[] {
  if (use?.kind !== 'sliding') return []
  const { charges } = use
  const first = charges[0]
  if (first !== undefined && now < first.at + lengthMs) return charges
  return charges.filter(({ at }) => now < at + lengthMs)
}

function sum(charges: readonly Charge[]): number {
  let total = 0
  for (const { units } of charges) total += units
  return total
}

/** As many charges are remembered one by one; more than any default limit but the day's can hold. */
const mostCharges = 2_048

/** Into so many slots a window is divided once it holds more. */
const slots = 1_024

/**
 * Keeps a window of bounded size: of too many charges, those of one slot become one at the instant of the last of
 * them, so that some units count for up to a slot too long, and none too short.
 */
function bounded(charges: readonly Charge[], lengthMs: number): readonly Charge[] {
  if (charges.length <= mostCharges) return charges
  const slotOf = ({ at }: Charge) => Math.floor((at * slots) / lengthMs)
  const merged: Charge[] = []
  for (const charge of charges) {
    const last = merged.at(-1)
    if (last === undefined || slotOf(last) !== slotOf(charge)) merged.push(charge)
    else merged[merged.length - 1] = { at: charge.at, units: last.units + charge.units }
  }
  return merged
}

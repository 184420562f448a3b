import type { WindowUse } from '../../../storage/record-types.ts'
import { objectOf } from '../../../values/codec.ts'
import { count, instant, oneOf } from '../../../values/value-type.ts'
import type { WindowMoment, WindowRules } from './window-rules.ts'

interface SteppedUse extends WindowUse {
  readonly kind: 'fixed' | 'aligned'
  readonly startedAt: number
  readonly units: number
}

type Start = (moment: Pick<WindowMoment, 'now' | 'lengthMs'>) => number

/**
 * A window that counts up and resets at its end.
 * @param startOf when a window starts whose first charge is made now
 */
function steppedWindow(kind: SteppedUse['kind'], meaning: string, startOf: Start): WindowRules<SteppedUse> {
  const open = (use: SteppedUse | undefined, { now, lengthMs }: WindowMoment) =>
    use !== undefined && now < use.startedAt + lengthMs ? use : undefined

  return {
    meaning,
    codec: objectOf({ kind: oneOf(kind), startedAt: instant, units: count }),
    used: (use, moment) => open(use, moment)?.units ?? 0,
    charged(use, units, moment) {
      const current = open(use, moment)
      if (current === undefined) return { kind, startedAt: startOf(moment), units }
      return { kind, startedAt: current.startedAt, units: current.units + units }
    },
    refunded(use, charge, moment) {
      const current = open(use, moment)
      if (current === undefined || charge.at < current.startedAt) return use
      return { ...current, units: Math.max(current.units - charge.units, 0) }
    },
    availableAt(use, units, moment) {
      const current = open(use, moment)
      return current === undefined || current.units <= units ? moment.now : current.startedAt + moment.lengthMs
    },
    clamped: (use, moment) => (use.startedAt > moment.now ? { ...use, startedAt: startOf(moment) } : use),
  }
}

export const fixedWindow = steppedWindow('fixed', 'a window begins with its first charge', ({ now }) => now)

export const alignedWindow = steppedWindow('aligned', 'windows follow the UTC clock', periodStart)

/** When the current period of the UTC clock began. */
export function periodStart({ now, lengthMs }: Pick<WindowMoment, 'now' | 'lengthMs'>): number {
  return Math.floor(now / lengthMs) * lengthMs
}

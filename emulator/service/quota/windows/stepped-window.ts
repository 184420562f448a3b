import type { SteppedUse, WindowUse } from '../../../storage/window-use.ts'
import type { Moment, WindowKind } from './window-kind.ts'

/**
 * A window that counts up and forgets everything at its end.
 * @param startOf when a window begins whose first charge is made now
 */
export function steppedWindow(kind: SteppedUse['kind'], startOf: (moment: Moment) => number): WindowKind {
  const open = (use: WindowUse | undefined, { now, lengthMs }: Moment) =>
    use?.kind === kind && now < use.startedAt + lengthMs ? use : undefined

  return {
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
    fallsTo(use, units, moment) {
      const current = open(use, moment)
      return current === undefined || current.units <= units ? moment.now : current.startedAt + moment.lengthMs
    },
  }
}

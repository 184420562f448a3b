import type { SteppedUse, WindowUse } from '../../../storage/window-use.ts'
import type { WindowKind, WindowMoment } from './window-kind.ts'

/**
 * A window that counts up and resets at its end.
 * @param startOf when a window starts whose first charge is made now
 */
export function steppedWindow(kind: SteppedUse['kind'], startOf: (moment: WindowMoment) => number): WindowKind {
  const open = (use: WindowUse | undefined, { now, lengthMs }: WindowMoment) =>
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
    availableAt(use, units, moment) {
      const current = open(use, moment)
      return current === undefined || current.units <= units ? moment.now : current.startedAt + moment.lengthMs
    },
  }
}

/** Begins with the first charge and ends one length later. */
export const fixedWindow = steppedWindow('fixed', ({ now }) => now)

/** Begins and ends with the minutes, hours and days of UTC. */
export const alignedWindow = steppedWindow('aligned', periodStart)

/** When the current period of the UTC clock began. */
export function periodStart({ now, lengthMs }: Pick<WindowMoment, 'now' | 'lengthMs'>): number {
  return Math.floor(now / lengthMs) * lengthMs
}

import type { CounterUse, WindowUse } from '../../../storage/window-use.ts'
import { periodStart } from './stepped-window.ts'
import type { WindowKind, WindowMoment } from './window-kind.ts'

/**
 * Counts the units of the clock's current period, plus the previous period's units weighted by its share of the window.
 */
export const slidingCounter: WindowKind = {
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
}

function currentCounters(use: WindowUse | undefined, moment: WindowMoment): CounterUse {
  const startedAt = periodStart(moment)
  if (use?.kind === 'sliding_counter') {
    if (use.startedAt === startedAt) return use
    if (use.startedAt === startedAt - moment.lengthMs) {
      return { kind: 'sliding_counter', startedAt, units: 0, unitsBefore: use.units }
    }
  }
  return { kind: 'sliding_counter', startedAt, units: 0, unitsBefore: 0 }
}

import type { CounterUse, WindowUse } from '../../../storage/window-use.ts'
import { periodStart } from './aligned-window.ts'
import type { Moment, WindowKind } from './window-kind.ts'

/**
 * Two counters in place of a log: what the clock's present period was charged, and of the period before the share
 * that a window ending now would still reach.
 */
export const slidingCounter: WindowKind = {
  used(use, moment) {
    const { startedAt, units, unitsBefore } = present(use, moment)
    const reached = startedAt + moment.lengthMs - moment.now
    return units + Math.ceil((unitsBefore * reached) / moment.lengthMs)
  },
  charged(use, units, moment) {
    const counters = present(use, moment)
    return { ...counters, units: counters.units + units }
  },
  refunded(use, charge, moment) {
    const { startedAt, units, unitsBefore } = present(use, moment)
    const isIn = (periodStartedAt: number) =>
      charge.at >= periodStartedAt && charge.at < periodStartedAt + moment.lengthMs
    return {
      kind: 'sliding_counter',
      startedAt,
      units: Math.max(units - (isIn(startedAt) ? charge.units : 0), 0),
      unitsBefore: Math.max(unitsBefore - (isIn(startedAt - moment.lengthMs) ? charge.units : 0), 0),
    }
  },
  fallsTo(use, most, moment) {
    if (slidingCounter.used(use, moment) <= most) return moment.now
    const { startedAt, units, unitsBefore } = present(use, moment)
    const { lengthMs } = moment
    // What the present period itself was charged fades only in the next one.
    const faded = units > most ? startedAt + lengthMs : startedAt
    const [fading, room] = units > most ? [units, most] : [unitsBefore, most - units]
    return faded + Math.ceil(((fading - room) * lengthMs) / fading)
  },
}

function present(use: WindowUse | undefined, moment: Moment): CounterUse {
  const startedAt = periodStart(moment)
  if (use?.kind === 'sliding_counter') {
    if (use.startedAt === startedAt) return use
    if (use.startedAt === startedAt - moment.lengthMs) {
      return { kind: 'sliding_counter', startedAt, units: 0, unitsBefore: use.units }
    }
  }
  return { kind: 'sliding_counter', startedAt, units: 0, unitsBefore: 0 }
}

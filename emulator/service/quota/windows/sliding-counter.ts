import type { WindowUse } from '../../../storage/record-types.ts'
import { objectOf } from '../../../values/codec.ts'
import { count, instant, oneOf } from '../../../values/value-type.ts'
import { periodStart } from './stepped-window.ts'
import type { WindowMoment, WindowRules } from './window-rules.ts'

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
  meaning: 'aligned, and the previous window counts in proportion to its overlap',
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

import { steadyMs } from '../../clock.ts'
import type { Clock } from '../../index.ts'
import { type PlanOptions, type PlanPart, planUploads, type UploadForecast } from '../../internal.ts'

/** Whether a quota determines when a part ends; else its end would only be the assumed length of an upload. */
export function isPaced({ waitsFor, pacedBy }: Pick<PlanPart, 'waitsFor' | 'pacedBy'>): boolean {
  return waitsFor !== null || pacedBy !== null
}

/** What of a batch is still to be done. */
export interface Remainder {
  /** What each transfer under way has still to move, in bytes; undefined where it is not known. */
  readonly underWay: readonly (number | undefined)[]
  /** The others, in the order in which they start. */
  readonly waiting: readonly Waiting[]
  /** Of all transfers together, lately; undefined where it is not known. */
  readonly bytesPerSecond: number | undefined
}

export interface Waiting {
  /** Its place in the batch, from 0. */
  readonly index: number
  readonly bytes: number | undefined
  /** How long it waits at least, in milliseconds. */
  readonly waitMs: number
}

/** How long what is left of a batch takes, in milliseconds. */
export interface TimeAhead {
  /** Undefined where it is not known. */
  readonly leftMs: number | undefined
  /** Of each transfer under way. */
  readonly underWayMs: readonly number[]
  /** How long it took to find that out. */
  readonly tookMs: number
}

/** @returns undefined at once, where the time depends on a rate that is not known yet */
export type Forecast = (remainder: Remainder) => TimeAhead | undefined

export interface RunForecastOptions {
  readonly jobs: number
  /** Whether an item will not be transferred. */
  isLeftOut(index: number): boolean
}

export type PlannedBatch = Pick<PlanOptions, 'underWay' | 'bytesPerSecond' | 'leastMs'> & {
  readonly sizes: readonly number[]
}

/** The forecast of a run of downloads: by the rate at which bytes move. */
export function downloadForecast({ isLeftOut, jobs }: RunForecastOptions, clock: Clock): Forecast {
  const limits = { burst: null, minute: null, hour: null, day: null }
  const planned = (batch: PlannedBatch) => planUploads(batch.sizes.length, { ...batch, jobs, limits, now: clock.now() })
  return forecastBy(planned, isLeftOut, clock)
}

/** @param planned throws a RangeError where a limit allows no upload, which each upload reports itself */
export function forecastBy(
  planned: (batch: PlannedBatch) => UploadForecast,
  isLeftOut: RunForecastOptions['isLeftOut'],
  clock: Clock,
): Forecast {
  return (remainder) => {
    const { underWay, waiting, bytesPerSecond } = remainder
    if (isUnmeasured(remainder)) return undefined
    const ahead = waiting.filter(({ index }) => !isLeftOut(index))
    const sizes = ahead.map(({ bytes }) => bytes ?? 0)
    // The measured rate has the time in it that the service takes for an answer.
    const pace = bytesPerSecond === undefined ? {} : { bytesPerSecond, leastMs: 0 }
    const [startAt, startedAt] = [clock.now(), steadyMs(clock)]
    try {
      const { parts, endsAt, underWayEndsAt } = planned({
        sizes,
        underWay: underWay.map((bytes) => bytes ?? 0),
        ...pace,
      })
      const hasSizes = [...underWay, ...ahead.map(({ bytes }) => bytes)].every((bytes) => bytes !== undefined)
      const isKnown = (bytesPerSecond !== undefined && hasSizes) || parts.some(isPaced)
      return {
        leftMs: isKnown ? Math.max(endsAt - startAt, ...ahead.map(({ waitMs }) => waitMs)) : undefined,
        underWayMs: isKnown ? underWayEndsAt.map((at) => at - startAt) : [],
        tookMs: steadyMs(clock) - startedAt,
      }
    } catch (error) {
      if (error instanceof RangeError) return { leftMs: undefined, underWayMs: [], tookMs: 0 }
      throw error
    }
  }
}

/** Whether something moves, and how fast is not known yet. */
function isUnmeasured({ underWay, bytesPerSecond }: Remainder): boolean {
  return bytesPerSecond === undefined && underWay.some((bytes) => bytes !== 0)
}

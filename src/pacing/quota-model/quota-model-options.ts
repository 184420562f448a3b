import { OutOfRangeError } from '../../checks/coded-error.ts'
import { kindBy, someFields } from '../../checks/values.ts'
import { defaultLimits, perWindow, type QuotaLimits, windowNames } from '../../protocol/rate-limits.ts'

export interface QuotaModelOptions {
  /** In units; null is a window without a limit. Default: the spec's (spec 8), which answers may correct. */
  readonly limits?: Partial<QuotaLimits> | undefined
  /** Units of the hour and of the day to leave to other users of the key. Default: 0. */
  readonly reserve?: number | undefined
}

/** Which numbers are limits, {@link checkUnits} says. */
const unitsOrNone = kindBy(
  'a whole number from 1, or null for no limit',
  (value) => value === null || typeof value === 'number',
)

export const limitsCheck = someFields(
  perWindow(() => unitsOrNone),
  { accepts: `an object with units for any of ${windowNames.join(', ')}` },
)

/** All four limits: the spec's where none is given. */
export function withDefaults(given: Partial<QuotaLimits> = {}): QuotaLimits {
  return perWindow((name) => (given[name] === undefined ? defaultLimits[name] : given[name]))
}

/** @throws RangeError where a limit or the reserve is not a number of units, or the reserve leaves nothing */
export function checkUnits(limits: QuotaLimits, reserve: number): void {
  for (const name of windowNames) {
    const limit = limits[name]
    if (limit !== null && !(Number.isInteger(limit) && limit > 0)) {
      throw new OutOfRangeError(
        `The limit of the ${name} window is a whole number from 1, or null for none, not ${limit}`,
      )
    }
  }
  const least = Math.min(limits.hour ?? Number.POSITIVE_INFINITY, limits.day ?? Number.POSITIVE_INFINITY)
  if (!Number.isInteger(reserve) || reserve < 0 || reserve >= least) {
    throw new OutOfRangeError(`The reserve is a whole number of units below the limits of hour and day, not ${reserve}`)
  }
}

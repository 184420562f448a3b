import { perWindow, type QuotaLimits, unlimited, windowNames } from '../../src/protocol/rate-limits.ts'
import { anyOf, type Codec, fieldsOf, orNull } from '../values/codec.ts'
import { valueType, wholeNumber } from '../values/value-type.ts'

/** Limits in units of some of the windows, `null` is unlimited; or `none`: every window is unlimited. */
export type GivenQuotas = Partial<QuotaLimits> | 'none'

/** Reads what people give; stored are the windows. */
export const quotaLimits: Codec<Partial<QuotaLimits>> = {
  ...anyOf(
    `whole units or null for any of ${windowNames.join(', ')}, or none`,
    valueType('none', { enum: ['none'] }, (found) => (found === 'none' ? unlimited : undefined)),
    fieldsOf(perWindow(() => orNull(wholeNumber({ of: 'units' })))),
  ),
  // A copy: who gets the limits of an account in the same process may change the object.
  write: (limits) => ({ ...limits }),
}

import { isObject } from '../../src/checks/json.ts'
import { type QuotaLimits, unlimited, windowNames } from '../../src/protocol/rate-limits.ts'
import { type JsonSchema, schemaProblem } from '../values/json-schema.ts'
import { orNull, valueType, wholeNumber } from '../values/value-type.ts'

/** Limits in units of some of the windows, `null` is unlimited; or `none`: every window is unlimited. */
export type GivenQuotas = Partial<QuotaLimits> | 'none'

const unitsOrNull = orNull(wholeNumber({ of: 'units' })).schema

const schema: JsonSchema = {
  type: ['object', 'string'],
  properties: Object.fromEntries(windowNames.map((name) => [name, unitsOrNull])),
  additionalProperties: false,
  pattern: '^none$',
}

/** Reads what people give; stored are the windows. */
export const quotaLimits = valueType<Partial<QuotaLimits>>(
  `whole units or null for any of ${windowNames.join(', ')}, or none`,
  schema,
  (found) => {
    if (found === 'none') return unlimited
    if (!isObject(found) || schemaProblem(schema, found) !== undefined) return undefined
    return Object.fromEntries(Object.entries(found).filter(([, limit]) => limit !== undefined))
  },
)

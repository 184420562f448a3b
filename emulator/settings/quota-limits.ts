import { type QuotaLimits, windowNames } from '../../src/protocol/rate-limits.ts'
import { isObject, type JsonSchema, problemOf } from '../values/json-schema.ts'
import { orNull, valueType, wholeNumber } from '../values/value-type.ts'

const unitsOrNull = orNull(wholeNumber({ of: 'units' })).schema

const schema: JsonSchema = {
  type: 'object',
  properties: Object.fromEntries(windowNames.map((name) => [name, unitsOrNull])),
  additionalProperties: false,
}

/** Limits in units of some of the windows; `null` is unlimited. */
export const quotaLimits = valueType<Partial<QuotaLimits>>(
  `whole units or null for any of ${windowNames.join(', ')}`,
  schema,
  (found) => {
    if (!isObject(found) || problemOf(schema, found) !== undefined) return undefined
    return Object.fromEntries(Object.entries(found).filter(([, limit]) => limit !== undefined))
  },
)

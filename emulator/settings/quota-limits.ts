import { type QuotaLimits, windowNames } from '../../src/protocol/rate-limits.ts'
import { type JsonSchema, largestExactInteger } from '../values/json-schema.ts'
import type { SettingKind } from '../values/kinds.ts'

const unitsOrNull: JsonSchema = {
  description: 'a whole number of units from zero up, or null',
  type: ['integer', 'null'],
  minimum: 0,
  maximum: largestExactInteger,
}

/** Limits in units; a window that is not named keeps its limit, `null` is unlimited. */
export const quotaLimits: SettingKind<QuotaLimits> = {
  accepts: `whole units or null for any of ${windowNames.join(', ')}`,
  schema: {
    type: 'object',
    properties: Object.fromEntries(windowNames.map((name) => [name, unitsOrNull])),
    additionalProperties: false,
  },
  read: (value, current) => {
    const limits = readQuotaLimits(value)
    return limits === undefined ? undefined : { ...current, ...limits }
  },
}

/** @returns limits of some of the windows; undefined if anything in them is not a limit */
export function readQuotaLimits(value: unknown): Partial<QuotaLimits> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const entries = Object.entries(value).filter(([, limit]) => limit !== undefined)
  const valid = entries.every(([name, limit]) => windowNames.some((known) => known === name) && isLimit(limit))
  return valid ? Object.fromEntries(entries) : undefined
}

function isLimit(value: unknown): boolean {
  return value === null || (Number.isSafeInteger(value) && Number(value) >= 0)
}

import { invalidValue } from '../checks/coded-error.ts'
import { defaultLimits, perWindow, type QuotaLimits, unlimited, windowNames } from '../protocol/rate-limits.ts'

/** In units of a window: more than a client can send in a day. */
const largestLimit = 999_999_999

/**
 * Reads `burst=20,minute=60`; other windows keep the usual limit, `day=none` lifts one limit, `none` all.
 * @throws TypeError with the part that cannot be read
 */
export function parseQuotaLimits(text: string): QuotaLimits {
  return { ...defaultLimits, ...parseNamedLimits(text) }
}

function parseNamedLimits(text: string): Partial<QuotaLimits> {
  if (text.trim() === 'none') return unlimited
  const given = text.split(',').map((part): [string, number | null] => {
    const [, window = '', limit = ''] = /^\s*(burst|minute|hour|day)\s*=\s*(\d+|none)\s*$/.exec(part) ?? []
    if (Number(limit) > largestLimit) {
      throw invalidValue(
        `${JSON.stringify(part)} is more than ${largestLimit}, the largest limit: write ${window}=none for no limit`,
      )
    }
    if (window === '') {
      throw invalidValue(`${JSON.stringify(part)} is not a quota: write burst=20,minute=60,hour=1000,day=10000`)
    }
    return [window, limit === 'none' ? null : Number(limit)]
  })
  return Object.fromEntries(given)
}

/**
 * Reads the limits that a client counts by; windows not named are absent. A limit of 0 is refused: the client would wait
 * for ever.
 * @throws TypeError with the part that cannot be used
 */
export function parseClientLimits(text: string): Partial<QuotaLimits> {
  const limits = parseNamedLimits(text)
  const empty = windowNames.find((window) => limits[window] === 0)
  if (empty === undefined) return limits
  throw invalidValue(`with ${empty}=0 nothing could ever be sent: write a number of units from 1, or ${empty}=none`)
}

/** A service's limits for a client to count by: a limit of 0 becomes none, and the service refuses instead. */
export function forClients(limits: QuotaLimits): QuotaLimits {
  return perWindow((window) => limits[window] || null)
}

/** Whether no window has a limit. */
export function isUnlimited(limits: QuotaLimits): boolean {
  return windowNames.every((window) => limits[window] === null)
}

/** In the form that {@link parseQuotaLimits} reads. */
export function formatQuotaLimits(limits: QuotaLimits): string {
  if (isUnlimited(limits)) return 'none'
  return windowNames.map((window) => `${window}=${limits[window] ?? 'none'}`).join(',')
}

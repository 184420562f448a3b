import { rateHeaders } from '../../../src/protocol/rate-limits.ts'
import type { HttpReply } from '../../http-types.ts'
import type { Verdict } from '../../service/quota/quota.ts'
import type { Settings } from '../../settings/settings.ts'

/** What is to be told of the quota. */
export interface RateReport extends Pick<Verdict, 'standing' | 'refusal' | 'charged'> {}

interface RateContext {
  readonly settings: Settings
  /** Epoch milliseconds. */
  readonly now: number
}

/** Whether an answer tells of the quota (spec 8.1). */
export function tellsOfQuota(settings: Settings, status: number, passedLimiter: boolean): boolean {
  switch (settings.rate_headers) {
    case 'limited':
      return passedLimiter
    case 'success':
      return passedLimiter && status < 300
    case 'all':
      return true
  }
}

/**
 * What the quota tells a client (spec 8.1): a window's limit, rest and end, and what the request cost. A refused
 * request that cost nothing says no cost, unless every answer is to say one; without a limit there is none to tell of.
 */
export function presentRate(report: RateReport, { settings, now }: RateContext): HttpReply['headers'] {
  const { standing, refusal, charged } = report
  const headers: Record<string, string> = {}
  if (standing !== undefined) {
    headers[rateHeaders.limit] = String(standing.limit)
    headers[rateHeaders.remaining] = String(standing.remaining)
    headers[rateHeaders.reset] = String(resetValue(standing.resetsAt, settings.reset_format, now))
  }
  if (refusal === undefined || charged > 0 || settings.rate_headers === 'all') {
    headers[rateHeaders.cost] = String(charged)
  }
  return headers
}

function resetValue(resetsAt: number, format: Settings['reset_format'], now: number): number {
  switch (format) {
    case 'epoch_seconds':
      return Math.ceil(resetsAt / 1_000)
    case 'delta_seconds':
      // An upload may have taken longer than the window it was charged to.
      return Math.max(Math.ceil((resetsAt - now) / 1_000), 0)
    case 'epoch_ms':
      return Math.ceil(resetsAt)
  }
}

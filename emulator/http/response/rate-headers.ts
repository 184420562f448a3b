import { rateHeaders } from '../../../src/protocol/rate-limits.ts'
import type { HttpReply } from '../../http-types.ts'
import type { QuotaVerdict } from '../../service/quota/quota.ts'
import type { Settings } from '../../settings/settings.ts'
import { nextWholeSecond } from '../../values/offset-date-time.ts'
import { httpDate } from './reply.ts'

/** What the quota headers report. */
export interface ReportedQuota extends Pick<QuotaVerdict, 'reportedWindow' | 'refusal' | 'charged'> {}

interface RateContext {
  readonly settings: Settings
  /** Epoch milliseconds. */
  readonly now: number
}

/** Whether a reply carries quota headers (spec 8.1). */
export function hasRateHeaders(settings: Settings, status: number, passedLimiter: boolean): boolean {
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
 * The quota headers (spec 8.1): a window's limit, remaining units and reset, and the request's cost. A refused request
 * that cost nothing has no cost header unless every reply has one.
 */
export function presentRate(report: ReportedQuota, { settings, now }: RateContext): HttpReply['headers'] {
  const { reportedWindow, refusal, charged } = report
  const headers: Record<string, string> = {}
  if (reportedWindow !== undefined) {
    headers[rateHeaders.limit] = String(reportedWindow.limit)
    headers[rateHeaders.remaining] = String(reportedWindow.remaining)
    headers[rateHeaders.reset] = String(resetValue(reportedWindow.resetsAt, settings.reset_format, now))
  }
  if (refusal === undefined || charged > 0 || settings.rate_headers === 'all') {
    headers[rateHeaders.cost] = String(charged)
  }
  return headers
}

function resetValue(resetsAt: number, format: Settings['reset_format'], now: number): number {
  switch (format) {
    case 'epoch_seconds':
      return nextWholeSecond(resetsAt) / 1_000
    case 'delta_seconds':
      // The upload may have taken longer than the window.
      return Math.max(nextWholeSecond(resetsAt - now) / 1_000, 0)
    case 'epoch_ms':
      return Math.ceil(resetsAt)
  }
}

/** Retry-After of a quota refusal (spec 8.4), rounded up. */
export function quotaRetryAfter(retryAt: number, { settings, now }: RateContext): HttpReply['headers'] {
  switch (settings.retry_after) {
    case 'seconds':
      return retryAfterHeader(String(Math.max(nextWholeSecond(retryAt - now) / 1_000, 1)))
    case 'http_date':
      return retryAfterHeader(httpDate(nextWholeSecond(retryAt)))
    case 'zero':
      return retryAfterHeader('0')
    case 'none':
      return {}
  }
}

/** The Retry-After date of a disabled API, which has no known end. */
const minuteMs = 60_000

/** Retry-After while the API is disabled (spec 8.4). */
export function unavailableRetryAfter({ settings, now }: RateContext): HttpReply['headers'] {
  const setting = settings.unavailable_retry_after
  if (setting === 'none') return {}
  return retryAfterHeader(setting === 'http_date' ? httpDate(now + minuteMs) : String(setting))
}

function retryAfterHeader(value: string): HttpReply['headers'] {
  return { [rateHeaders.retryAfter]: value }
}

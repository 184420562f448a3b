import { rateHeaders } from '../../../src/protocol/rate-limits.ts'
import type { HttpReply } from '../../http-types.ts'
import type { Settings } from '../../settings/settings.ts'
import { httpDate } from './http-date.ts'

interface RetryContext {
  readonly settings: Settings
  /** Epoch milliseconds. */
  readonly now: number
}

/** Retry-After of a quota refusal (spec 8.4), rounded up. */
export function quotaRetryAfter(retryAt: number, { settings, now }: RetryContext): HttpReply['headers'] {
  switch (settings.retry_after) {
    case 'seconds':
      return header(String(Math.max(Math.ceil((retryAt - now) / 1_000), 1)))
    case 'http_date':
      return header(httpDate(Math.ceil(retryAt / 1_000) * 1_000))
    case 'zero':
      return header('0')
    case 'none':
      return {}
  }
}

/** The Retry-After date of a disabled API, which has no known end. */
const minuteMs = 60_000

/** Retry-After while the API is disabled (spec 8.4). */
export function unavailableRetryAfter({ settings, now }: RetryContext): HttpReply['headers'] {
  const setting = settings.unavailable_retry_after
  if (setting === 'none') return {}
  return header(setting === 'http_date' ? httpDate(now + minuteMs) : String(setting))
}

function header(value: string): HttpReply['headers'] {
  return { [rateHeaders.retryAfter]: value }
}

import { expect } from 'vitest'
import type { Departures } from '../clauses.ts'

export const aDate = expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/)

/** What the hostile dialect makes of quotas. */
export const hostileLimits: Departures = {
  'spec 8.1: what remains goes down by the cost of each answer': {
    because: 'remaining_scope=tightest',
    sees: ['19', '16'],
  },
  'spec 8.3: answers are held back from 80 % of the minute on': {
    because: 'soft_delay=fixed',
    sees: { at80: 2_000, at82: 2_000, at100: 2_000 },
  },
  'spec 8.4: a refusal for quota says in Retry-After when to come back': { because: 'retry_after=none', sees: null },
  'spec 8.4: a disabled API says in Retry-After when to come back': {
    because: 'unavailable_retry_after=http_date',
    sees: aDate,
  },
  'silence 82: a window begins with its first charge and ends its length later': {
    because: 'quota_windows=sliding_counter, quota_admission=charge_first',
    sees: [429, 429, 429, 429],
  },
  'silence 83, 84: what would go beyond the limit is refused and not charged': {
    because: 'quota_admission=charge_first',
    sees: [429, 21],
  },
  'silence 86: who is kept out, and who asks for nothing there is, is not charged': { because: 'check_order', sees: 3 },
  'silence 88: a window that refuses keeps the others from being charged': {
    because: 'charge_rejected',
    sees: [3, 3, 3, 3],
  },
  'silence 89, 90: the headers tell of the minute, after the charge': {
    because: 'remaining_scope=tightest',
    sees: ['20', '19'],
  },
  'silence 91: the reset is the end of the minute in Unix seconds': {
    because: 'reset_format=delta_seconds, remaining_scope=tightest, quota_windows=sliding_counter',
    sees: ['in seconds: 20', 'in seconds: 15'],
  },
  'silence 92: whatever came as far as the quota tells of it': {
    because: 'rate_headers=success',
    sees: { 200: true, 404: false, 422: false, 429: false, 401: false, 405: false },
  },
  'silence 93, 94: a refusal tells no cost, and what remains of the minute': {
    because: 'rate_headers=success',
    sees: [429, null, null],
  },
  'silence 95: a refusal says the whole seconds to the end of its window': {
    because: 'retry_after=none',
    sees: { burst: [null, null], minute: [null, null], hour: [null, null], day: [null, null] },
  },
  'silence 96: at 80 % nothing is held back, at 90 % a second, at 100 % two': {
    because: 'soft_delay=fixed',
    sees: [2_000, 2_000, 2_000],
  },
  'silence 97: hours begin with their first charge as well': {
    because: 'quota_windows=sliding_counter, quota_admission=charge_first',
    sees: [429, 429],
  },
}

import { expect } from 'vitest'
import type { Departures } from '../clauses.ts'

export const aDate = expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/)

/** The hostile dialect's quotas. */
export const hostileLimits: Departures = {
  'spec 8.1, silence 89, 90: the headers report the minute, and the remaining units fall by each cost': {
    because: 'remaining_scope=tightest',
    sees: ['20', '19', '16'],
  },
  'silence 82: a window begins with its first charge and ends one length later': {
    because: 'quota_windows=sliding_counter, quota_admission=charge_first',
    sees: [429, 429, 429, 429],
  },
  'silence 83, 84, 88: a request that would exceed one limit is refused and charged to none': {
    because: 'quota_admission=charge_first, charge_rejected',
    sees: [429, [21, 21, 21, 21], 0],
  },
  'silence 86: neither a 401, 403 or 503 nor an unknown path is charged': { because: 'check_order', sees: 3 },
  'silence 91: the reset is the end of the minute in Unix seconds': {
    because: 'reset_format=delta_seconds, remaining_scope=tightest, quota_windows=sliding_counter',
    sees: ['in seconds: 20', 'in seconds: 15'],
  },
  'silence 92: every answer after the quota check has quota headers': {
    because: 'rate_headers=success',
    sees: { 200: true, 404: false, 422: false, 429: false, 401: false, 405: false },
  },
  'silence 93, 94: a refusal has no cost header, but the minute’s remaining units': {
    because: 'rate_headers=success',
    sees: [429, null, null],
  },
  'silence 95: a refusal’s Retry-After is the whole seconds to the end of its window': {
    because: 'retry_after=none',
    sees: [null, null],
  },
  'silence 96: an answer is delayed by 0 s at 80 % of the minute, by 1 s at 90 % and by 2 s at 100 %': {
    because: 'soft_delay=fixed',
    sees: [2_000, 2_000, 2_000],
  },
}

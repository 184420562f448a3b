import { numberOr, oneOf, orderOf, trueOrFalse } from '../values/kinds.ts'
import { define } from './definition.ts'

/** How requests are counted, refused and told of it. */
export const quotaDefinitions = {
  quota_windows: define(
    oneOf('fixed', 'aligned', 'sliding', 'sliding_counter', 'token_bucket'),
    'fixed',
    '8',
    'How a window passes. `fixed`: from its first charge on; `aligned`: to the clock, UTC; `sliding`: every charge ' +
      'counts for exactly the window; `sliding_counter`: aligned, the window before counting by the share of it that ' +
      'is still within reach; `token_bucket`: the limit is there at once and comes back evenly.',
  ),
  quota_admission: define(
    oneOf('reject_over', 'overshoot', 'charge_first'),
    'reject_over',
    '8.5',
    'When a window refuses. `reject_over`: when used + cost > limit; `overshoot`: when used >= limit, so that the ' +
      'last request may go beyond; `charge_first`: as `reject_over`, but whatever is refused has been charged.',
  ),
  charge_rejected: define(trueOrFalse, false, '8.5', 'Whether a request refused for quota is charged all the same.'),
  charge_failed: define(
    trueOrFalse,
    true,
    '8',
    'Whether a request that fails behind the quota (404, 422, 500) is charged.',
  ),
  rate_headers: define(
    oneOf('limited', 'success', 'all'),
    'limited',
    '8.1',
    'Which answers have the X-RateLimit headers: `limited`: those that came as far as the quota, 429 too; `success`: ' +
      'those of 200 and 201 alone; `all`: every one, with a cost of 0 where nothing was charged.',
  ),
  remaining_scope: define(
    oneOf('minute', 'tightest'),
    'minute',
    '8.1',
    'The window the X-RateLimit headers tell of; `tightest`: the one with the least left.',
  ),
  reset_format: define(
    oneOf('epoch_seconds', 'delta_seconds', 'epoch_ms'),
    'epoch_seconds',
    '8.2',
    'How X-RateLimit-Reset is written.',
  ),
  retry_after: define(
    oneOf('seconds', 'http_date', 'none', 'zero'),
    'seconds',
    '8.4',
    'Retry-After of a 429; `none`: it is missing, `zero`: it says 0 whatever the truth.',
  ),
  unavailable_retry_after: define(
    numberOr('seconds', 'http_date', 'none'),
    60,
    '8.4',
    'Retry-After of a 503; `http_date`: a minute ahead, as a date.',
  ),
  unavailable_body: define(
    oneOf('error', 'message', 'html'),
    'error',
    '5.7',
    'The body of a 503: as the spec has it, or as the framework (`message`) or a web server (`html`) in front of it has it.',
  ),
  soft_delay: define(
    oneOf('linear', 'fixed', 'off'),
    'linear',
    '8.3',
    'How answers are held back from 80 % of the minute on: 0 to 2 s up to 100 %, 2 s at once, or never.',
  ),
  check_order: define(
    orderOf('disabled', 'key', 'suspended', 'address', 'quota'),
    ['disabled', 'key', 'suspended', 'address', 'quota'],
    '5',
    'The order in which a request is examined, which decides what it is told and charged where several things are wrong.',
  ),
}

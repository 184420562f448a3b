import { windowKinds } from '../../src/protocol/rate-limits.ts'
import { windowRules } from '../service/quota/windows/window-kinds.ts'
import { numberOr, oneOf, orderOf, trueOrFalse } from '../values/value-type.ts'
import { define } from './definition.ts'

/** How requests are counted and refused, and what the quota headers say. */
export const quotaDefinitions = {
  quota_windows: define(
    oneOf(...windowKinds),
    '8',
    `When units come back. ${windowKinds.map((kind) => `\`${kind}\`: ${windowRules[kind].meaning}`).join('; ')}.`,
  ),
  quota_admission: define(
    oneOf('reject_over', 'overshoot', 'charge_first'),
    '8.5',
    'When a window refuses. `reject_over`: when used + cost > limit; `overshoot`: when used >= limit, so that the ' +
      'last request may exceed the limit; `charge_first`: as `reject_over`, but refused requests are charged.',
  ),
  charge_rejected: define(trueOrFalse, '8.5', 'Whether a request refused for quota is charged.'),
  charge_failed: define(
    trueOrFalse,
    '8',
    'Whether a request that passes the quota and then fails (404, 422, 500) is charged.',
    true,
  ),
  rate_headers: define(
    oneOf('limited', 'success', 'all'),
    '8.1',
    'Which answers have the X-RateLimit headers. `limited`: those that reached the quota check, 429 too; `success`: ' +
      'only 200 and 201; `all`: every answer, with a cost of 0 if nothing was charged.',
  ),
  remaining_scope: define(
    oneOf('minute', 'tightest'),
    '8.1',
    'The window that the X-RateLimit headers describe; `tightest`: the one with the least left, as for `minute` where ' +
      'the minute is unlimited.',
  ),
  reset_format: define(oneOf('epoch_seconds', 'delta_seconds', 'epoch_ms'), '8.2', 'The unit of X-RateLimit-Reset.'),
  retry_after: define(
    oneOf('seconds', 'http_date', 'none', 'zero'),
    '8.4',
    'Retry-After of a 429; `none`: not sent, `zero`: always 0.',
  ),
  unavailable_retry_after: define(
    numberOr('seconds', 'http_date', 'none'),
    '8.4',
    'Retry-After of a 503; `http_date`: a date one minute ahead, `none`: not sent.',
    60,
  ),
  unavailable_body: define(
    oneOf('error', 'message', 'html'),
    '5.7',
    'The body of a 503: from the service (`error`, as in the spec), the framework (`message`) or a web server (`html`).',
  ),
  soft_delay: define(
    oneOf('linear', 'fixed', 'off'),
    '8.3',
    'How answers are delayed once 80 % of the minute is used: from 0 s up to 2 s at 100 %, always 2 s, or never.',
  ),
  check_order: define(
    orderOf('disabled', 'key', 'suspended', 'address', 'quota'),
    '5',
    'The order of the checks on a request: the first that fails decides the answer and whether it is charged.',
    ['disabled', 'key', 'suspended', 'address', 'quota'],
  ),
}

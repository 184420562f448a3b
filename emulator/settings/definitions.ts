import { defaultMaxFileSizeBytes } from '../../src/protocol/media-types.ts'
import { defaultLimits, type QuotaLimits } from '../../src/protocol/rate-limits.ts'
import { between, byteSize, numberOr, oneOf, orderOf, type SettingKind, timeZoneName, trueOrFalse } from './kinds.ts'
import { quotaLimits } from './quota-limits.ts'

/** One adjustable trait of the service. */
export interface SettingDefinition<Value> {
  readonly kind: SettingKind<Value>
  readonly default: Value
  /** The clause of the spec that leaves it open or makes it adjustable. */
  readonly spec: string
  /** What it decides, and what its values mean. */
  readonly means: string
}

/** Everything about the service that can be adjusted, by its name on the control API. */
export const definitions = {
  api_enabled: define(trueOrFalse, true, '5.7', 'Whether the API answers at all; `false`: 503.'),
  max_file_size: define(byteSize, defaultMaxFileSizeBytes, '8.7', 'The largest file an upload may have, in bytes.'),
  quotas: define<QuotaLimits>(
    quotaLimits,
    defaultLimits,
    '8',
    'Units per window of every account without limits of its own; `null` is unlimited.',
  ),

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

  page_size: define(between(1, 1_000), 50, '8.7', 'How many uploads a page of the list has.'),
  page_invalid: define(
    oneOf('first_page', '404', '422'),
    'first_page',
    '4.2',
    'What a `page` that is no whole number above zero gets.',
  ),
  page_beyond_last: define(oneOf('empty', '404'), 'empty', '4.2', 'What a page beyond the last gets.'),
  link_labels: define(
    oneOf('unicode', 'html_entities'),
    'unicode',
    '2.2',
    'The labels of the first and last link: `« Previous` or `&laquo; Previous`.',
  ),
  links_page_key: define(trueOrFalse, false, '2.2', 'Whether each link has its page number beside its label.'),
  page_urls_keep_query: define(
    trueOrFalse,
    false,
    '2.2',
    'Whether page URLs repeat the query of the request, an `api_key` in it included.',
  ),
  page_url_scheme: define(
    oneOf('request', 'http', 'wrong'),
    'request',
    '2.2',
    'The scheme of page URLs: the one the client used, `http` as behind a proxy that is not trusted, or the one it did not use.',
  ),

  delete_missing: define(
    oneOf('404', '200', '204'),
    '404',
    '4.4',
    'What deleting an upload that does not exist gets: not found, the answer of a deletion, or nothing at all.',
  ),
  oversize: define(
    oneOf('422', '413', '413_html', 'reset'),
    '422',
    '7.2',
    'What a file that is too large gets: a validation message, 413 from the framework, 413 from a web server, or a ' +
      'connection that breaks while the file is being sent.',
  ),
  wrong_type_message: define(
    oneOf('mimes', 'mimetypes'),
    'mimes',
    '7.2',
    'Whether the message about a wrong type lists extensions or MIME types.',
  ),
  not_found_message: define(
    oneOf('model', 'model_with_key', 'generic', 'empty'),
    'model',
    '7.2',
    'The message about an upload that does not exist.',
  ),
  errors_as_json: define(
    oneOf('always', 'accept'),
    'always',
    '1',
    'Whether the framework answers errors as JSON even to a client that does not ask for it; `accept`: that client ' +
      'gets an HTML page, and for a failed validation a redirect to where it came from.',
  ),
  json_style: define(
    oneOf('laravel', 'plain'),
    'laravel',
    '1',
    'How JSON is written: slashes escaped, ASCII only and exceptions indented, or plainly on one line.',
  ),

  thumbnail: define(
    oneOf('delayed', 'immediate', 'never'),
    'delayed',
    '2.1',
    'When a thumbnail exists: some time after the upload, with it, or never.',
  ),
  thumbnail_delay_ms: define(numberOr('milliseconds'), 2_000, '2.1', 'How long a delayed thumbnail takes.'),
  title: define(oneOf(null, 'filename'), null, '2.1', 'The title of a new upload: none, or the name of its file.'),
  timezone: define(timeZoneName, 'Europe/Bucharest', '2.1', 'The time zone of `created_at`.'),
  created_at_format: define(
    oneOf('seconds', 'micros', 'compact_offset', 'zulu'),
    'seconds',
    '2.1',
    'How `created_at` is written: `…T14:00:00+02:00`, with a fraction, with `+0200`, or in UTC with a fraction and `Z`.',
  ),
  slug_style: define(
    oneOf('alnum10', 'nanoid21', 'uuid'),
    'alnum10',
    '2.1',
    'What slugs are made of: 10 letters and digits, 21 of those, `_` and `-`, or a UUID.',
  ),
  case_insensitive_slugs: define(trueOrFalse, false, '2.1', 'Whether a slug is found in any case.'),
  extra_fields: define(
    trueOrFalse,
    false,
    '2',
    'Whether upload and statistics objects have fields that are described nowhere.',
  ),
  reencode: define(
    trueOrFalse,
    false,
    '2.1',
    'Whether the file that is stored differs from the one that was sent, as where a service strips metadata.',
  ),
  visible_after_ms: define(
    numberOr('milliseconds'),
    0,
    '3',
    'How long after its upload a file is missing from the list and not to be shown.',
  ),
  duplicate_content: define(
    oneOf('new_slug', 'same_slug'),
    'new_slug',
    '4.1',
    'What a file gets that the account has uploaded before: an upload of its own, or the one that exists.',
  ),
  total_views_type: define(oneOf('integer', 'string'), 'integer', '2.3', 'The JSON type of `total_views`.'),

  empty_header_key: define(
    oneOf('rejects', 'falls_back'),
    'rejects',
    '5.3',
    'Whether an X-Api-Key header without a value is a wrong key or as good as none.',
  ),
  trust_forwarded_for: define(
    trueOrFalse,
    false,
    '5.5',
    "Whether the last address of X-Forwarded-For counts as the client's.",
  ),
}

function define<Value>(kind: SettingKind<Value>, value: Value, spec: string, means: string): SettingDefinition<Value> {
  return { kind, default: value, spec, means }
}

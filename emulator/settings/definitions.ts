import { defaultMaxFileSizeBytes } from '../../src/protocol/media-types.ts'
import { defaultLimits, type QuotaLimits, windowKinds } from '../../src/protocol/rate-limits.ts'
import type { Codec } from '../values/codec.ts'
import { byteSize, numberOr, oneOf, orderOf, timeZoneName, trueOrFalse, wholeNumber } from '../values/value-type.ts'
import { quotaLimits } from './quota-limits.ts'

export interface SettingDefinition<Value> {
  readonly type: Codec<Value>
  readonly default: Value
  /** The clause of the spec that leaves it open. */
  readonly spec: string
  /** What it decides and what its values mean. */
  readonly description: string
}

/** @param usual the default; the first value unless given */
function define<Value>(
  type: Codec<Value>,
  spec: string,
  description: string,
  usual = type.values?.[0] as Value,
): SettingDefinition<Value> {
  return { type, default: usual, spec, description }
}

/** How requests are counted and refused, and what the quota headers say. */
export const quotaDefinitions = {
  quota_windows: define(
    oneOf(...windowKinds),
    '8',
    'When units come back. `fixed`: one length after the first charge; `aligned`: with the UTC clock; `sliding`: each ' +
      'charge after one length; `sliding_counter`: aligned, the window before counts by its overlap; `token_bucket`: evenly.',
  ),
  quota_admission: define(
    oneOf('reject_over', 'overshoot', 'charge_first'),
    '8.5',
    'When a window refuses: used + cost > limit, used >= limit, or as the first with refusals charged.',
  ),
  charge_rejected: define(trueOrFalse, '8.5', 'Whether a request refused for quota is charged.'),
  charge_failed: define(trueOrFalse, '8', 'Whether a failure after the quota check (404, 422, 500) is charged.', true),
  rate_headers: define(
    oneOf('limited', 'success', 'all'),
    '8.1',
    'Which answers have the X-RateLimit headers: those that reached the quota check, 200 and 201 alone, or every one.',
  ),
  remaining_scope: define(
    oneOf('minute', 'tightest'),
    '8.1',
    'The window that the X-RateLimit headers describe: the minute, or the one with the least left.',
  ),
  reset_format: define(oneOf('epoch_seconds', 'delta_seconds', 'epoch_ms'), '8.2', 'The unit of X-RateLimit-Reset.'),
  retry_after: define(oneOf('seconds', 'http_date', 'none', 'zero'), '8.4', 'Retry-After of a 429.'),
  unavailable_retry_after: define(
    numberOr('seconds', 'http_date', 'none'),
    '8.4',
    'Retry-After of a 503; a date is one minute ahead.',
    60,
  ),
  unavailable_body: define(
    oneOf('error', 'message', 'html'),
    '5.7',
    'The body of a 503: the service’s, the framework’s or a web server’s.',
  ),
  soft_delay: define(
    oneOf('linear', 'fixed', 'off'),
    '8.3',
    'How answers are delayed from 80 % of the minute on: up to 2 s at 100 %, always by 2 s, or never.',
  ),
  check_order: define(
    orderOf('disabled', 'key', 'suspended', 'address', 'quota'),
    '5',
    'The order of the checks: the first that fails decides the answer and whether it is charged.',
    ['disabled', 'key', 'suspended', 'address', 'quota'],
  ),
}

/** The form of answers: pages of the list, refusals, JSON. */
export const answerDefinitions = {
  page_size: define(wholeNumber({ from: 1, to: 1_000 }), '8.7', 'Uploads per page of the list.', 50),
  page_invalid: define(
    oneOf('first_page', '404', '422'),
    '4.2',
    'The answer to a `page` that is no whole number above zero.',
  ),
  page_beyond_last: define(oneOf('empty', '404'), '4.2', 'The answer to a page beyond the last.'),
  link_labels: define(
    oneOf('unicode', 'html_entities'),
    '2.2',
    'The labels of the first and last link: `« Previous` or `&laquo; Previous`.',
  ),
  links_page_key: define(trueOrFalse, '2.2', 'Whether each link has its page number too.'),
  page_urls_keep_query: define(
    trueOrFalse,
    '2.2',
    'Whether page URLs repeat the query of the request, an `api_key` too.',
  ),
  page_url_scheme: define(
    oneOf('request', 'http', 'wrong'),
    '2.2',
    'The scheme of page URLs: the client’s, `http`, or the one that the client did not use.',
  ),

  delete_missing: define(oneOf('404', '200', '204'), '4.4', 'The answer to deleting an upload that does not exist.'),
  oversize: define(
    oneOf('422', '413', '413_html', 'reset'),
    '7.2',
    'The answer to a file that is too large: 422, 413 of the framework or of a web server, or a reset while it is sent.',
  ),
  wrong_type_message: define(
    oneOf('mimes', 'mimetypes'),
    '7.2',
    'Whether the message about a wrong type lists extensions or MIME types.',
  ),
  not_found_message: define(
    oneOf('model', 'model_with_key', 'generic', 'empty'),
    '7.2',
    'The message about an upload that does not exist.',
  ),
  errors_as_json: define(
    oneOf('always', 'accept'),
    '1',
    'Whether a client that accepts no JSON gets errors as JSON, or as a page and, where a form fails, a redirect back.',
  ),
  cors: define(
    oneOf('open', 'expose', 'off'),
    '4',
    'Whether scripts of pages may call the API: without its rate-limit headers, with them, or not at all.',
  ),
  json_style: define(
    oneOf('laravel', 'plain'),
    '1',
    'How JSON is written: escaped slashes, ASCII only and indented exceptions, or plain.',
  ),
}

/** How an uploaded file is stored and shown. */
export const uploadDefinitions = {
  thumbnail: define(oneOf('delayed', 'immediate', 'never'), '2.1', 'When a thumbnail appears.'),
  thumbnail_delay_ms: define(wholeNumber({ of: 'milliseconds' }), '2.1', 'How long a delayed thumbnail takes.', 2_000),
  title: define(oneOf(null, 'filename'), '2.1', 'The title of a new upload: none, or its file name.'),
  timezone: define(timeZoneName, '2.1', 'The time zone of `created_at`.', 'Europe/Bucharest'),
  created_at_format: define(
    oneOf('seconds', 'micros', 'compact_offset', 'zulu'),
    '2.1',
    'How `created_at` is written: `…T14:00:00+02:00`, with a fraction, with `+0200`, or in UTC with a fraction and `Z`.',
  ),
  slug_style: define(oneOf('alnum10', 'nanoid21', 'uuid'), '2.1', 'The form of slugs.'),
  case_insensitive_slugs: define(trueOrFalse, '2.1', 'Whether slugs match in any case.'),
  extra_fields: define(trueOrFalse, '2', 'Whether uploads and statistics have undocumented fields.'),
  reencode: define(trueOrFalse, '2.1', 'Whether stored files differ from those sent, as where metadata is stripped.'),
  visible_after_ms: define(wholeNumber({ of: 'milliseconds' }), '3', 'How long list and show lack a new upload.', 0),
  duplicate_content: define(oneOf('new_slug', 'same_slug'), '4.1', 'What uploading the same content again returns.'),
  total_views_type: define(oneOf('integer', 'string'), '2.3', 'The JSON type of `total_views`.'),
}

/** Every setting by its name on the control API, in the order of docs/settings.md. */
export const definitions = {
  api_enabled: define(trueOrFalse, '5.7', 'Whether the API answers, or every call gets 503.', true),
  max_file_size: define(byteSize, '8.7', 'The largest file that can be uploaded, in bytes.', defaultMaxFileSizeBytes),
  quotas: define(
    // A change may name some windows; the settings store merges it.
    quotaLimits as Codec<QuotaLimits>,
    '8',
    'Units per window of every account without its own; `null` is unlimited.',
    defaultLimits,
  ),

  ...quotaDefinitions,
  ...answerDefinitions,
  ...uploadDefinitions,

  empty_header_key: define(
    oneOf('rejects', 'falls_back'),
    '5.3',
    'Whether an empty X-Api-Key header is a wrong key or counts as absent.',
  ),
  trust_forwarded_for: define(trueOrFalse, '5.5', "Whether the last address in X-Forwarded-For is the client's."),
}

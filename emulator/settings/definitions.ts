import { defaultMaxFileSizeBytes } from '../../src/protocol/media-types.ts'
import { defaultLimits, type QuotaLimits, windowKinds } from '../../src/protocol/rate-limits.ts'
import type { Codec } from '../values/codec.ts'
import { byteSize, numberOr, oneOf, orderOf, timeZoneName, trueOrFalse, wholeNumber } from '../values/value-type.ts'
import { quotaLimits } from './quota-limits.ts'

export interface SettingDefinition<Value> {
  readonly type: Codec<Value>
  readonly default: Value
  /** What it decides and what its values mean. */
  readonly description: string
}

/** @param usual the default; the first value unless given */
function define<Value>(
  type: Codec<Value>,
  description: string,
  usual = type.values?.[0] as Value,
): SettingDefinition<Value> {
  return { type, default: usual, description }
}

/** How requests are counted and refused, and what the quota headers say. */
export const quotaDefinitions = {
  quota_windows: define(
    oneOf(...windowKinds),
    'When units come back. `fixed`: one length after the first charge; `aligned`: with the UTC clock; `sliding`: each ' +
      'charge after one length; `sliding_counter`: aligned, the window before counts by its overlap; `token_bucket`: evenly.',
  ),
  quota_admission: define(
    oneOf('reject_over', 'overshoot', 'charge_first'),
    'When a window refuses: used + cost > limit, used >= limit, or as the first with refusals charged.',
  ),
  charge_rejected: define(trueOrFalse, 'Whether a request refused for quota is charged.'),
  charge_failed: define(trueOrFalse, 'Whether a failure after the quota check (404, 422, 500) is charged.', true),
  rate_headers: define(
    oneOf('limited', 'success', 'all'),
    'Which answers have the X-RateLimit headers: those after the quota check, 200 and 201 alone, or every one.',
  ),
  remaining_scope: define(
    oneOf('minute', 'tightest'),
    'The window that the X-RateLimit headers describe: the minute, or the one with the least left.',
  ),
  reset_format: define(oneOf('epoch_seconds', 'delta_seconds', 'epoch_ms'), 'The unit of X-RateLimit-Reset.'),
  retry_after: define(oneOf('seconds', 'http_date', 'none', 'zero'), 'Retry-After of a 429.'),
  unavailable_retry_after: define(
    numberOr('seconds', 'http_date', 'none'),
    'Retry-After of a 503; a date is one minute ahead.',
    60,
  ),
  unavailable_body: define(
    oneOf('error', 'message', 'html'),
    'The body of a 503: the service’s, the framework’s or a web server’s.',
  ),
  soft_delay: define(
    oneOf('linear', 'fixed', 'off'),
    'How answers are delayed from 80 % of the minute on: up to 2 s at 100 %, always by 2 s, or never.',
  ),
  check_order: define(
    orderOf('disabled', 'key', 'suspended', 'address', 'quota'),
    'The order of the checks: the first that fails decides the answer and whether it is charged.',
    ['disabled', 'key', 'suspended', 'address', 'quota'],
  ),
}

/** The form of answers: pages of the list, refusals, JSON. */
export const answerDefinitions = {
  page_size: define(wholeNumber({ from: 1, to: 1_000 }), 'Uploads per page of the list.', 50),
  page_invalid: define(oneOf('first_page', '404', '422'), 'The answer to a `page` that is no whole number above zero.'),
  page_beyond_last: define(oneOf('empty', '404'), 'The answer to a page beyond the last.'),
  link_labels: define(
    oneOf('unicode', 'html_entities'),
    'The labels of the first and last link: `« Previous` or `&laquo; Previous`.',
  ),
  links_page_key: define(trueOrFalse, 'Whether each link has its page number too.'),
  page_urls_keep_query: define(trueOrFalse, 'Whether page URLs repeat the query of the request, an `api_key` too.'),
  page_url_scheme: define(
    oneOf('request', 'http', 'wrong'),
    'The scheme of page URLs: the client’s, `http`, or the one the client did not use.',
  ),

  delete_missing: define(oneOf('404', '200', '204'), 'The answer to deleting an upload that does not exist.'),
  oversize: define(
    oneOf('422', '413', '413_html', 'reset'),
    'The answer to a file that is too large: 422, 413 of the framework or of a web server, or a reset while it is sent.',
  ),
  wrong_type_message: define(
    oneOf('mimes', 'mimetypes'),
    'Whether the message about a wrong type lists extensions or MIME types.',
  ),
  not_found_message: define(
    oneOf('model', 'model_with_key', 'generic', 'empty'),
    'The message about an upload that does not exist.',
  ),
  errors_as_json: define(
    oneOf('always', 'accept'),
    'Whether a client that accepts no JSON gets errors as JSON, or as a page and, where a form fails, a redirect back.',
  ),
  cors: define(
    oneOf('open', 'expose', 'off'),
    'Whether scripts of pages may call the API: without its rate-limit headers, with them, or not at all.',
  ),
  json_style: define(
    oneOf('laravel', 'plain'),
    'How JSON is written: escaped slashes, ASCII only and indented exceptions, or plain.',
  ),
}

/** How an uploaded file is stored and shown. */
export const uploadDefinitions = {
  thumbnail: define(oneOf('delayed', 'immediate', 'never'), 'When a thumbnail appears.'),
  thumbnail_delay_ms: define(wholeNumber({ of: 'milliseconds' }), 'How long a delayed thumbnail takes.', 2_000),
  title: define(oneOf(null, 'filename'), 'The title of a new upload: none, or its file name.'),
  timezone: define(timeZoneName, 'The time zone of `created_at`.', 'Europe/Bucharest'),
  created_at_format: define(
    oneOf('seconds', 'micros', 'compact_offset', 'zulu'),
    'How `created_at` is written: `…T14:00:00+02:00`, with a fraction, with `+0200`, or in UTC with a fraction and `Z`.',
  ),
  slug_style: define(oneOf('alnum10', 'nanoid21', 'uuid'), 'The form of slugs.'),
  case_insensitive_slugs: define(trueOrFalse, 'Whether slugs match in any case.'),
  extra_fields: define(trueOrFalse, 'Whether uploads and statistics have undocumented fields.'),
  reencode: define(trueOrFalse, 'Whether stored files differ from those sent, as where metadata is stripped.'),
  visible_after_ms: define(wholeNumber({ of: 'milliseconds' }), 'How long list and show lack a new upload.', 0),
  duplicate_content: define(oneOf('new_slug', 'same_slug'), 'What uploading the same content again returns.'),
  total_views_type: define(oneOf('integer', 'string'), 'The JSON type of `total_views`.'),
}

/** Every setting by its name on the control API, in the order of docs/settings.md. */
export const definitions = {
  api_enabled: define(trueOrFalse, 'Whether the API answers, or every call gets 503.', true),
  max_file_size: define(byteSize, 'The largest file that can be uploaded, in bytes.', defaultMaxFileSizeBytes),
  quotas: define(
    // A change may name some windows; the settings store merges it.
    quotaLimits as Codec<QuotaLimits>,
    'Units per window of every account without its own; `null` is unlimited.',
    defaultLimits,
  ),

  ...quotaDefinitions,
  ...answerDefinitions,
  ...uploadDefinitions,

  empty_header_key: define(
    oneOf('rejects', 'falls_back'),
    'Whether an empty X-Api-Key header is a wrong key or counts as absent.',
  ),
  trust_forwarded_for: define(trueOrFalse, "Whether the last address in X-Forwarded-For is the client's."),
}

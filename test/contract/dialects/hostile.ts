import { expect } from 'vitest'
import { endpoints } from '../../../src/protocol/endpoints.ts'
import { rateHeaders } from '../../../src/protocol/rate-limits.ts'
import type { Departures } from '../clauses.ts'
import type { Amendment } from '../described.ts'
import { picture } from '../picture.ts'
import type { DialectExpectations } from './expectations.ts'
import { aDate, hostileLimits } from './hostile-limits.ts'
import { frameworkAmendments, frameworkDepartures, message, page, validationErrors } from './laravel.ts'

const burst = 'Burst limit exceeded. Slow down.'
const broken = 'a broken connection'

const objectDepartures: Departures = {
  'spec 2.1, silence 18: an upload object has the spec’s fields': {
    because: 'extra_fields',
    sees: 'slug title url direct_url thumb_url mime_type size views likes created_at id updated_at deleted_at'.split(
      ' ',
    ),
  },
  'spec 2.1, silence 15: a new upload has no title, no views, no likes, and its file’s type and size in bytes': {
    because: 'title=filename, reencode',
    sees: ['picture.png', 0, 0, 'image/png', picture.length + 8],
  },
  'spec 2.3, 4.5, silence 18, 19: statistics have their fields, each a whole number': {
    because: 'extra_fields, total_views_type=string',
    sees: [
      ['uploads', true],
      ['albums', true],
      ['total_views', false],
      ['api_requests', true],
      ['plan', false],
    ],
  },
  'silence 8: a slug is ten letters and digits': {
    because: 'slug_style=nanoid21',
    sees: expect.stringMatching(/^[A-Za-z0-9_-]{21}$/),
  },
  'silence 12, 13: the thumbnail is a JPEG that exists two seconds after the upload, not earlier': {
    because: 'thumbnail=never',
    sees: [false, false, false, 404, 'text/html; charset=utf-8'],
  },
  'silence 17: times are in Bucharest’s zone, in whole seconds': {
    because: 'timezone=Pacific/Chatham, created_at_format=compact_offset',
    sees: ['2031-01-16T01:45:00+1345', '2031-07-16T00:45:00+1245'],
  },
}

const endpointDepartures: Departures = {
  'spec 4.4, 7.2, silence 50: deleting an unknown slug gets 404, as showing it': {
    because: 'delete_missing=204',
    sees: [204, false],
  },
  'spec 5.7: every call is answered 503 while the API is disabled': {
    because: 'unavailable_body=html',
    sees: Object.values(endpoints).map(() => [503, {}]),
  },
  'spec 7.2, silence 76: a 404 has a message that names the model, and no error': {
    because: 'not_found_message=empty',
    sees: [404, { message: '' }],
  },
  'silence 23, 24: page URLs have the request’s origin and not its query, so not the key': {
    because: 'page_url_scheme=wrong, page_urls_keep_query',
    sees: [false, '?api_key=KEY&page=1'],
  },
  'silence 31: a new upload is visible at once': {
    because: 'visible_after_ms=2000',
    sees: { shown: 404, listed: false, file: 200 },
  },
  'silence 32: a deleted upload is gone, and deleting it again is answered 404': {
    because: 'delete_missing=204',
    sees: [200, 404, 204],
  },
  'silence 39, 98: a file too large is answered with the limit in kilobytes': {
    because: 'oversize=reset',
    sees: broken,
  },
  'silence 40: a body larger than any form is answered 413 before the key check': {
    because: 'oversize=reset',
    sees: 401,
  },
  'silence 48: an invalid page number means page 1': {
    because: 'page_invalid=422',
    sees: {
      0: [422, 'The page field must be at least 1.'],
      abc: [422, 'The page field must be an integer.'],
    },
  },
  'silence 48, 103: a page beyond the last has empty data': {
    because: 'page_beyond_last=404',
    sees: [404, { message: '' }],
  },
  'silence 61: of several reasons to refuse, the answer has the first in the order of the checks': {
    because: 'check_order',
    sees: [401, 401, burst, burst, 429],
  },
  'silence 75: a disabled API answers 503 with a Retry-After of a minute, logs the request and charges nothing': {
    because: 'unavailable_body=html, unavailable_retry_after=http_date, check_order',
    sees: { status: 503, text: expect.stringMatching(/^<!DOCTYPE html>/), retryAfter: aDate, charged: 1 },
  },
}

/** An answer without a body is charged like any other. */
const quotaHeaders = Object.fromEntries(Object.values(rateHeaders).map((name) => [name, {}]))

const amendments: readonly Amendment[] = [
  ...frameworkAmendments,
  [['components', 'schemas', 'Upload', 'properties', 'created_at'], { type: 'string', pattern: '[+-]\\d{4}$' }],
  [['components', 'schemas', 'Stats', 'properties', 'total_views'], { type: 'string', pattern: '^\\d+$' }],
  ...Object.values(endpoints).map(
    ({ path, method }): Amendment => [['paths', path, method.toLowerCase(), 'responses', '503', 'content'], page],
  ),
  [['paths', '/api/uploads', 'get', 'responses', '404'], { content: message }],
  [['paths', '/api/uploads', 'get', 'responses', '422'], { content: validationErrors }],
  [['paths', '/api/uploads/{slug}', 'delete', 'responses', '204'], { headers: quotaHeaders }],
]

/** Every setting at the value that is hardest on a client. */
export const hostile: DialectExpectations = {
  departures: {
    ...frameworkDepartures,
    ...objectDepartures,
    ...endpointDepartures,
    ...hostileLimits,
    'the tests see every answer that the OpenAPI document describes': {
      because: 'oversize=reset, delete_missing=204',
      sees: ['uploadFile 413', 'deleteUpload 404'],
    },
  },
  amendments,
}

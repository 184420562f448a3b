import { oneOf, trueOrFalse, wholeNumber } from '../values/value-type.ts'
import { define } from './definition.ts'

/** The form of answers: pages of the list, refusals, JSON. */
export const answerDefinitions = {
  page_size: define(wholeNumber({ from: 1, to: 1_000 }), '8.7', 'Uploads per page of the list.', 50),
  page_invalid: define(
    oneOf('first_page', '404', '422'),
    '4.2',
    'The answer to a `page` that is not a whole number above zero.',
  ),
  page_beyond_last: define(oneOf('empty', '404'), '4.2', 'The answer to a page beyond the last.'),
  link_labels: define(
    oneOf('unicode', 'html_entities'),
    '2.2',
    'The labels of the first and last link: `« Previous` or `&laquo; Previous`.',
  ),
  links_page_key: define(trueOrFalse, '2.2', 'Whether each link has its page number as well as its label.'),
  page_urls_keep_query: define(
    trueOrFalse,
    '2.2',
    'Whether page URLs repeat the query of the request, including an `api_key`.',
  ),
  page_url_scheme: define(
    oneOf('request', 'http', 'wrong'),
    '2.2',
    'The scheme of page URLs: the one the client used; `http`, as behind an untrusted proxy; or the one it did not use.',
  ),

  delete_missing: define(
    oneOf('404', '200', '204'),
    '4.4',
    'The answer to deleting an upload that does not exist: not found, the same as a deletion, or an empty one.',
  ),
  oversize: define(
    oneOf('422', '413', '413_html', 'reset'),
    '7.2',
    'The answer to a file that is too large: a validation message, 413 from the framework, 413 from a web server, or a ' +
      'connection reset while the file is being sent.',
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
    'Whether the framework sends errors as JSON to a client that does not accept JSON. `accept`: such a client gets ' +
      'an HTML page, and for a failed validation a redirect back.',
  ),
  cors: define(
    oneOf('open', 'expose', 'off'),
    '4',
    'Whether scripts of web pages may call the API: from any origin, without the rate-limit headers of its answers; ' +
      'from any origin, with these headers; or not at all.',
  ),
  json_style: define(
    oneOf('laravel', 'plain'),
    '1',
    'How JSON is written: escaped slashes, ASCII only and indented exceptions; or plain, on one line.',
  ),
}

import { between, oneOf, trueOrFalse } from '../values/kinds.ts'
import { define } from './definition.ts'

/** What answers look like: pages of the list, refusals, JSON. */
export const answerDefinitions = {
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
}

import type { Departure, Departures } from '../clauses.ts'
import type { Amendment } from '../described.ts'
import { notAFile, required, wrongType } from '../messages.ts'
import type { DialectExpectations } from './expectations.ts'

const { mimetypes } = wrongType

function because(setting: string): (sees: unknown) => Departure {
  return (sees) => ({ because: setting, sees })
}

const byLabels = because('link_labels=html_entities')
const byTypeList = because('wrong_type_message=mimetypes')
const byAccept = because('errors_as_json=accept')

/** Departures caused by `links_page_key` and `link_labels`. */
const linkDepartures: Departures = {
  'spec 2.2: on page 1 the link to the previous page is inactive and has no URL': byLabels({
    url: null,
    label: '&laquo; Previous',
    page: null,
    active: false,
  }),
  'silence 20: a link has url, label and active': because('links_page_key')(['url,label,page,active']),
  'silence 21: the first and last links are labelled « Previous and Next »': byLabels([
    '&laquo; Previous',
    'Next &raquo;',
  ]),
}

const typeDepartures: Departures = {
  'silence 37: an empty file is refused for its type': byTypeList([422, [mimetypes]]),
  'silence 38: a file of another type is answered with the accepted types': byTypeList([422, [mimetypes]]),
  'silence 42: a field that is not a file is reported as such, and an empty one as missing': byTypeList([
    [notAFile, mimetypes],
    [required],
  ]),
}

/** Departures of both framework dialects. */
export const frameworkDepartures: Departures = {
  ...linkDepartures,
  ...typeDepartures,
  'silence 2: a client that accepts only HTML gets errors as JSON too': byAccept('text/html; charset=utf-8'),
}

const json = (schema: string) => ({ 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } })

export const page = { 'text/html': { schema: { type: 'string' } } }
export const message = json('Message')
export const validationErrors = json('ValidationError')

/** Without a JSON Accept header, the framework answers with pages. */
export const frameworkAmendments: readonly Amendment[] = [
  [['paths', '/api/uploads/{slug}', 'get', 'responses', '404', 'content'], { ...message, ...page }],
]

/** Laravel with its default settings. */
export const laravel: DialectExpectations = {
  departures: frameworkDepartures,
  amendments: frameworkAmendments,
}

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

/** What `links_page_key` and `link_labels` make of the list. */
const linkDepartures: Departures = {
  'spec 2.2: the first link of the first page is inactive and leads nowhere': byLabels({
    url: null,
    label: '&laquo; Previous',
    page: null,
    active: false,
  }),
  'silence 20: a link has url, label and active': because('links_page_key')(['url,label,page,active']),
  'silence 21: the links around the pages are labelled so': byLabels(['&laquo; Previous', 'Next &raquo;']),
}

const typeDepartures: Departures = {
  'silence 37: an empty file is of no accepted type': byTypeList([422, [mimetypes]]),
  'silence 38: a file of another type is told the types there are': byTypeList([422, [mimetypes]]),
  'silence 42: what is no file is told so, and what is nothing is required': byTypeList({
    text: [notAFile, mimetypes],
    'blank text': [required],
    'a list of files': [notAFile, mimetypes],
    'urlencoded text': [notAFile, mimetypes],
    'a number of JSON': [notAFile, mimetypes],
    'an empty list of JSON': [required],
    'JSON that is none': [required],
  }),
}

/** What both dialects of the framework have. */
export const frameworkDepartures: Departures = {
  ...linkDepartures,
  ...typeDepartures,
  'silence 2: errors are JSON, whatever the client would accept': byAccept('text/html; charset=utf-8'),
}

const json = (schema: string) => ({ 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } })

export const page = { 'text/html': { schema: { type: 'string' } } }
export const message = json('Message')
export const validationErrors = json('ValidationErrors')

/** Who does not ask for JSON gets the framework's pages. */
export const frameworkAmendments: readonly Amendment[] = [
  [['paths', '/api/uploads/{slug}', 'get', 'responses', '404', 'content'], { ...message, ...page }],
]

/** The framework as it is unless told otherwise. */
export const laravel: DialectExpectations = {
  departures: {
    ...frameworkDepartures,
    'silence 41: everything wrong with a file is told, and the first of it counts the others': byTypeList([
      422,
      `${mimetypes} (and 1 more error)`,
    ]),
  },
  amendments: frameworkAmendments,
}

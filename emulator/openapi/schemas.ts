import { serviceMessages } from '../../src/protocol/error-bodies.ts'
import { mediaTypes } from '../../src/protocol/media-types.ts'
import type { PageLink, Stats, Upload, UploadPage } from '../../src/protocol/resources.ts'

/** A JSON Schema of the 2020-12 draft, which is what OpenAPI 3.1 has. */
export type Schema = Readonly<Record<string, unknown>>

/** The schema of every field of a resource, so that none is forgotten. */
type Fields<Resource> = { readonly [Name in keyof Resource]-?: Schema }

const text: Schema = { type: 'string' }
const textOrNull: Schema = { type: ['string', 'null'] }
const url: Schema = { type: 'string', format: 'uri' }
const urlOrNull: Schema = { type: ['string', 'null'], format: 'uri' }
const fromZero: Schema = { type: 'integer', minimum: 0 }
const fromOne: Schema = { type: 'integer', minimum: 1 }
const fromOneOrNull: Schema = { type: ['integer', 'null'], minimum: 1 }

const upload: Fields<Upload> = {
  slug: { ...text, minLength: 1, description: 'Names the upload in paths.' },
  title: { ...textOrNull, description: 'Given by the user on the site; null right after the upload.' },
  url: { ...url, description: 'The page of the upload.' },
  direct_url: { ...url, description: 'The file itself.' },
  thumb_url: { ...urlOrNull, description: 'Null as long as there is no thumbnail, which may be for ever.' },
  mime_type: { ...text, examples: mediaTypes.map(({ mimeType }) => mimeType) },
  size: { ...fromZero, description: 'Bytes.' },
  views: { ...fromZero, description: 'Of the page, the file and the embedded file together.' },
  likes: fromZero,
  created_at: {
    type: 'string',
    format: 'date-time',
    pattern: '[+-]\\d\\d:\\d\\d$',
    description: 'ISO 8601 with a numeric offset.',
  },
}

const pageLink: Fields<PageLink> = { url: urlOrNull, label: text, active: { type: 'boolean' } }

const uploadPage: Fields<UploadPage> = {
  current_page: fromOne,
  data: { type: 'array', items: { $ref: '#/components/schemas/Upload' }, description: 'The newest first.' },
  first_page_url: url,
  from: { ...fromOneOrNull, description: 'The number of the first upload shown, counted over all pages.' },
  last_page: fromOne,
  last_page_url: url,
  links: { type: 'array', items: { $ref: '#/components/schemas/PageLink' } },
  next_page_url: urlOrNull,
  path: url,
  per_page: fromOne,
  prev_page_url: urlOrNull,
  to: { ...fromOneOrNull, description: 'The number of the last upload shown.' },
  total: fromZero,
}

const stats: Fields<Stats> = {
  uploads: fromZero,
  albums: fromZero,
  total_views: { ...fromZero, description: 'Views in feeds and of files, over all uploads.' },
  api_requests: { ...fromZero, description: 'Requests logged so far, without the one that asks.' },
}

const fieldErrors: Schema = { type: 'object', additionalProperties: { type: 'array', items: text, minItems: 1 } }

/** Every body the API answers with, by name. */
export const schemas = {
  Upload: object(upload),
  UploadEnvelope: object({ upload: { $ref: '#/components/schemas/Upload' } }),
  UploadPage: object(uploadPage),
  PageLink: object(pageLink),
  Stats: object(stats),
  Deletion: object({ deleted: { const: true } }),
  Error: { ...object({ error: text }), examples: [{ error: serviceMessages.invalidKey }] },
  Message: { ...object({ message: text }), not: { required: ['error'] } },
  ValidationErrors: {
    ...object({ message: text, errors: fieldErrors }),
    examples: [{ message: serviceMessages.fileRequired, errors: { file: [serviceMessages.fileRequired] } }],
  },
} satisfies Readonly<Record<string, Schema>>

export type SchemaName = keyof typeof schemas

/** All fields are always there; a client has to bear others beside them. */
function object(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, required: Object.keys(properties) }
}

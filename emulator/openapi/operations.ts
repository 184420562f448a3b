import { type EndpointName, uploadField } from '../../src/protocol/endpoints.ts'
import { serviceMessages } from '../../src/protocol/error-bodies.ts'
import { mediaTypes } from '../../src/protocol/media-types.ts'
import type { PageLink, Stats, Upload, UploadPage } from '../../src/protocol/resources.ts'

/** A JSON Schema of the draft 2020-12, as in OpenAPI 3.1. */
export type Schema = Readonly<Record<string, unknown>>

/** A schema for every field of a resource. */
type Fields<Resource> = { readonly [Name in keyof Resource]-?: Schema }

const text: Schema = { type: 'string' }
const textOrNull: Schema = { type: ['string', 'null'] }
const url: Schema = { type: 'string', format: 'uri' }
const urlOrNull: Schema = { type: ['string', 'null'], format: 'uri' }
const fromZero: Schema = { type: 'integer', minimum: 0 }
const fromOne: Schema = { type: 'integer', minimum: 1 }
const fromOneOrNull: Schema = { type: ['integer', 'null'], minimum: 1 }

const upload: Fields<Upload> = {
  slug: { ...text, minLength: 1, description: 'Identifies the upload in paths.' },
  title: { ...textOrNull, description: 'Set by the user on the website; null right after the upload.' },
  url: { ...url, description: 'The page of the upload.' },
  direct_url: { ...url, description: 'The file itself.' },
  thumb_url: { ...urlOrNull, description: 'Null while there is no thumbnail; there may never be one.' },
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
  from: { ...fromOneOrNull, description: 'The position of the first upload of this page among all uploads.' },
  last_page: fromOne,
  last_page_url: url,
  links: { type: 'array', items: { $ref: '#/components/schemas/PageLink' } },
  next_page_url: urlOrNull,
  path: url,
  per_page: fromOne,
  prev_page_url: urlOrNull,
  to: { ...fromOneOrNull, description: 'The position of the last upload of this page.' },
  total: fromZero,
}

const stats: Fields<Stats> = {
  uploads: fromZero,
  albums: fromZero,
  total_views: { ...fromZero, description: 'Views in feeds and of files, of all uploads.' },
  api_requests: { ...fromZero, description: 'Requests logged so far, without this one.' },
}

const fieldErrors: Schema = { type: 'object', additionalProperties: { type: 'array', items: text, minItems: 1 } }

/** Every body of an answer, by name. */
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

/** All fields are always present; a client must accept additional ones. */
function object(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, required: Object.keys(properties) }
}

/** What an answer's status means, and its body. */
export type Described = readonly [description: string, body: SchemaName]

/** An OpenAPI operation without what follows from its endpoint, and without the answers that every call can get. */
export interface Operation {
  readonly summary: string
  readonly parameters?: readonly Schema[]
  readonly requestBody?: Schema
  /** By status. */
  readonly responses: Readonly<Record<string, Described>>
}

const slugParameter: Schema = { name: 'slug', in: 'path', required: true, schema: { type: 'string' } }

const notFound: Operation['responses'] = { 404: ['The account has no such upload.', 'Message'] }

export const operations: Readonly<Record<EndpointName, Operation>> = {
  upload: {
    summary: 'Uploads one file',
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': {
          schema: {
            type: 'object',
            properties: { [uploadField]: { description: 'Up to 200 MB by default.' } },
            required: [uploadField],
          },
          encoding: { [uploadField]: { contentType: mediaTypes.map(({ mimeType }) => mimeType).join(', ') } },
        },
      },
    },
    responses: {
      201: ['Uploaded.', 'UploadEnvelope'],
      413: ['The request is too large for any upload.', 'Message'],
      422: ['There is no file, or the service does not accept it.', 'ValidationErrors'],
    },
  },
  list: {
    summary: 'Lists the account’s uploads, the newest first',
    parameters: [{ name: 'page', in: 'query', schema: { type: 'integer', minimum: 1, default: 1 } }],
    responses: { 200: ['One page.', 'UploadPage'] },
  },
  show: {
    summary: 'Shows one upload',
    parameters: [slugParameter],
    responses: { 200: ['The upload.', 'UploadEnvelope'], ...notFound },
  },
  delete: {
    summary: 'Deletes one upload permanently, with its file and thumbnail',
    parameters: [slugParameter],
    responses: { 200: ['Deleted.', 'Deletion'], ...notFound },
  },
  stats: {
    summary: 'Shows the account’s statistics',
    responses: { 200: ['The statistics.', 'Stats'] },
  },
}

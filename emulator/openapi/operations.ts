import { type EndpointName, uploadField } from '../../src/protocol/endpoints.ts'
import { mediaTypes } from '../../src/protocol/media-types.ts'
import type { PageLink, Stats, Upload, UploadPage } from '../../src/protocol/resources.ts'

/** A JSON Schema of the draft 2020-12, as in OpenAPI 3.1. */
export type Schema = Readonly<Record<string, unknown>>

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
  mime_type: { ...text, description: 'By the first bytes of the file.' },
  size: { ...fromZero, description: 'Bytes.' },
  views: { ...fromZero, description: 'Of the page, the file and the embedded file together.' },
  likes: { ...fromZero, description: 'Likes by visitors.' },
  created_at: {
    type: 'string',
    format: 'date-time',
    pattern: '[+-]\\d\\d:\\d\\d$',
    description: 'ISO 8601 with a numeric offset.',
  },
}

const pageLink: Fields<PageLink> = {
  url: { ...urlOrNull, description: 'Null where there is no such page.' },
  label: { ...text, description: 'A page number, or the words of the service.' },
  active: { type: 'boolean', description: 'Whether this is the present page.' },
}

const uploadPage: Fields<UploadPage> = {
  current_page: { ...fromOne, description: 'Counted from 1.' },
  data: { type: 'array', items: { $ref: '#/components/schemas/Upload' }, description: 'The newest first.' },
  first_page_url: { ...url, description: 'The newest uploads.' },
  from: { ...fromOneOrNull, description: 'The position of the first upload of this page among all uploads.' },
  last_page: { ...fromOne, description: 'The number of the last page.' },
  last_page_url: { ...url, description: 'The oldest uploads.' },
  links: { type: 'array', items: { $ref: '#/components/schemas/PageLink' }, description: 'For a row of page numbers.' },
  next_page_url: { ...urlOrNull, description: 'Older uploads; null on the last page.' },
  path: { ...url, description: 'The address of the list, without a page.' },
  per_page: { ...fromOne, description: 'Uploads on a full page.' },
  prev_page_url: { ...urlOrNull, description: 'Newer uploads; null on the first page.' },
  to: { ...fromOneOrNull, description: 'The position of the last upload of this page.' },
  total: { ...fromZero, description: 'Uploads of the account.' },
}

const stats: Fields<Stats> = {
  uploads: { ...fromZero, description: 'Files of the account.' },
  albums: { ...fromZero, description: 'Albums of the account.' },
  total_views: { ...fromZero, description: 'Views in feeds and of files, of all uploads.' },
  api_requests: { ...fromZero, description: 'Requests logged so far, without this one.' },
}

const fieldErrors: Schema = {
  type: 'object',
  description: 'The problems of each field, by its name.',
  additionalProperties: { type: 'array', items: text, minItems: 1 },
}

export const schemas = {
  Upload: object('One stored file.', upload),
  UploadEnvelope: object('One upload.', { upload: { $ref: '#/components/schemas/Upload' } }),
  UploadPage: object('One page of the list.', uploadPage),
  PageLink: object('A link to a page of the list.', pageLink),
  Stats: object('The account in numbers.', stats),
  Deletion: object('The upload is gone, with its file and thumbnail.', {
    deleted: { type: 'boolean', const: true, description: 'Always true.' },
  }),
  Error: object('A refusal by the service.', { error: { ...text, description: 'The reason, for people.' } }),
  Message: {
    ...object('A failure that the framework reports.', {
      message: { ...text, description: 'The reason; may be empty.' },
    }),
    not: { required: ['error'], properties: { error: true } },
  },
  ValidationError: object('What is wrong with the fields of a request.', {
    message: { ...text, description: 'The first problem, and how many more there are.' },
    errors: fieldErrors,
  }),
} satisfies Readonly<Record<string, Schema>>

export type SchemaName = keyof typeof schemas

/** All fields are always present; a client must accept additional ones. */
function object(description: string, properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', description, properties, required: Object.keys(properties) }
}

/** What an answer's status means, and its body. */
export type Described = readonly [description: string, body: SchemaName]

/** An OpenAPI operation without what follows from its endpoint, and without the answers that every call can get. */
export interface Operation {
  /** Names the call in generated clients. */
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly Schema[]
  readonly requestBody?: Schema
  /** By status. */
  readonly responses: Readonly<Record<string, Described>>
}

const slugParameter: Schema = {
  name: 'slug',
  in: 'path',
  required: true,
  description: 'The slug of an upload of this account.',
  schema: { type: 'string', minLength: 1 },
  example: 'a1B2c3D4e5',
}

const notFound: Operation['responses'] = { 404: ['The account has no such upload.', 'Message'] }

export const operations: Readonly<Record<EndpointName, Operation>> = {
  upload: {
    operationId: 'uploadFile',
    summary: 'Uploads one file',
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': {
          schema: {
            type: 'object',
            description: 'A form with one file.',
            properties: {
              [uploadField]: { type: 'string', format: 'binary', description: 'The file: up to 200 MB by default.' },
            },
            required: [uploadField],
          },
          encoding: { [uploadField]: { contentType: mediaTypes.map(({ mimeType }) => mimeType).join(', ') } },
        },
      },
    },
    responses: {
      201: ['The file is stored.', 'UploadEnvelope'],
      413: ['The request is too large for any upload.', 'Message'],
      422: ['There is no file, or the service does not accept it.', 'ValidationError'],
    },
  },
  list: {
    operationId: 'listUploads',
    summary: 'Lists the account’s uploads, the newest first',
    parameters: [
      {
        name: 'page',
        in: 'query',
        description: 'The page, counted from 1.',
        schema: { type: 'integer', minimum: 1, default: 1 },
      },
    ],
    responses: { 200: ['One page.', 'UploadPage'] },
  },
  show: {
    operationId: 'getUpload',
    summary: 'Shows one upload',
    parameters: [slugParameter],
    responses: { 200: ['The upload.', 'UploadEnvelope'], ...notFound },
  },
  delete: {
    operationId: 'deleteUpload',
    summary: 'Deletes one upload permanently, with its file and thumbnail',
    parameters: [slugParameter],
    responses: { 200: ['The upload is gone.', 'Deletion'], ...notFound },
  },
  stats: {
    operationId: 'getStats',
    summary: 'Shows the account’s statistics',
    responses: { 200: ['The statistics.', 'Stats'] },
  },
}

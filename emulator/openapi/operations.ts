import { type Endpoint, type EndpointName, endpoints, uploadField } from '../../src/protocol/endpoints.ts'
import { mediaTypes } from '../../src/protocol/media-types.ts'
import { rateHeaders, refusalMessages } from '../../src/protocol/rate-limits.ts'
import type { Schema, SchemaName } from './schemas.ts'

/** An OpenAPI operation without the parts that follow from its endpoint. */
interface Operation {
  readonly summary: string
  readonly parameters?: readonly Schema[]
  readonly requestBody?: Schema
  readonly responses: Readonly<Record<string, Schema>>
}

const integer: Schema = { schema: { type: 'integer' } }

const quotaHeaders: Readonly<Record<string, Schema>> = {
  [rateHeaders.limit]: { description: 'Units per minute.', ...integer },
  [rateHeaders.remaining]: { description: 'Units left in the minute.', ...integer },
  [rateHeaders.reset]: { description: 'When the minute ends; the unit is not specified.', ...integer },
}

const successHeaders = { ...quotaHeaders, [rateHeaders.cost]: { description: 'Units this request cost.', ...integer } }

const retryAfter = {
  [rateHeaders.retryAfter]: {
    description: 'When to try again; the format is not specified.',
    schema: { type: 'string' },
  },
}

/** Answers that every call can get. */
const refusals: Readonly<Record<string, Schema>> = {
  401: answer('The key is missing or wrong.', 'Error'),
  403: answer('The account is suspended or restricted to other addresses.', 'Error'),
  429: answer(Object.values(refusalMessages).join(' / '), 'Error', { ...quotaHeaders, ...retryAfter }),
  500: answer('The service failed.', 'Message'),
  503: answer('The API is disabled for now.', 'Error', retryAfter),
}

const notFound = { 404: answer('The account has no such upload.', 'Message') }

const slugParameter: Schema = { name: 'slug', in: 'path', required: true, schema: { type: 'string' } }

const operations: Readonly<Record<EndpointName, Operation>> = {
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
      201: answer('Uploaded.', 'UploadEnvelope', successHeaders),
      413: answer('The request is too large for any upload.', 'Message'),
      422: answer('There is no file, or the service does not accept it.', 'ValidationErrors'),
    },
  },
  list: {
    summary: 'Lists the account’s uploads, the newest first',
    parameters: [{ name: 'page', in: 'query', schema: { type: 'integer', minimum: 1, default: 1 } }],
    responses: { 200: answer('One page.', 'UploadPage', successHeaders) },
  },
  show: {
    summary: 'Shows one upload',
    parameters: [slugParameter],
    responses: { 200: answer('The upload.', 'UploadEnvelope', successHeaders), ...notFound },
  },
  delete: {
    summary: 'Deletes one upload permanently, with its file and thumbnail',
    parameters: [slugParameter],
    responses: { 200: answer('Deleted.', 'Deletion', successHeaders), ...notFound },
  },
  stats: {
    summary: 'Shows the account’s statistics',
    responses: { 200: answer('The statistics.', 'Stats', successHeaders) },
  },
}

/** The `paths` of the document. */
export function describePaths(): Readonly<Record<string, Schema>> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
    const { responses, ...operation } = operations[name as EndpointName]
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: {
        operationId: name,
        ...operation,
        description: `Costs ${endpoint.cost} ${endpoint.cost === 1 ? 'unit' : 'units'}.`,
        responses: { ...responses, ...refusals },
      },
    }
  }
  return paths
}

function answer(description: string, schema: SchemaName, headers?: Readonly<Record<string, Schema>>): Schema {
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } }
  return { description, ...(headers === undefined ? {} : { headers }), content }
}

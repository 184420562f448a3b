import {
  type Endpoint,
  type EndpointName,
  endpoints,
  keyHeader,
  keyQueryParameter,
} from '../../src/protocol/endpoints.ts'
import { rateHeaders, refusalMessages } from '../../src/protocol/rate-limits.ts'
import { type Described, type Operation, operations, type Schema, schemas } from './operations.ts'

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: Schema
  readonly servers: readonly Schema[]
  readonly security: readonly Schema[]
  readonly paths: Readonly<Record<string, Schema>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly securitySchemes: Readonly<Record<string, Schema>>
  }
}

/**
 * Describes the service's five calls as in the spec, without the effect of settings.
 * @param serverUrl the service's address; default: a variable
 */
export function describeService(serverUrl?: string): OpenApiDocument {
  const anywhere = { url: '{base_url}', variables: { base_url: { default: 'https://files.example' } } }
  return {
    openapi: '3.1.0',
    // The API has no version of its own (spec 9).
    info: { title: 'File hosting API', version: '1', description: 'Upload, list, show and delete files; statistics.' },
    servers: [serverUrl === undefined ? anywhere : { url: serverUrl }],
    // The header is used first, the query only if the header is absent (spec 5.3).
    security: [{ header: [] }, { query: [] }],
    paths: describePaths(),
    components: {
      schemas,
      securitySchemes: {
        header: { type: 'apiKey', in: 'header', name: keyHeader },
        query: { type: 'apiKey', in: 'query', name: keyQueryParameter },
      },
    },
  }
}

function describePaths(): OpenApiDocument['paths'] {
  const paths: Record<string, Schema> = {}
  for (const [name, { path, method, cost }] of Object.entries<Endpoint>(endpoints)) {
    const { responses, ...operation } = operations[name as EndpointName]
    const described = {
      operationId: name,
      ...operation,
      description: `Costs ${cost} ${cost === 1 ? 'unit' : 'units'}.`,
      responses: { ...describeAnswers(responses), ...describeAnswers(refusals) },
    }
    paths[path] = { ...paths[path], [method.toLowerCase()]: described }
  }
  return paths
}

/** The answers that every call can get. */
const refusals: Operation['responses'] = {
  401: ['The key is missing or wrong.', 'Error'],
  403: ['The account is suspended or restricted to other addresses.', 'Error'],
  429: [Object.values(refusalMessages).join(' / '), 'Error'],
  500: ['The service failed.', 'Message'],
  503: ['The API is disabled for now.', 'Error'],
}

const integer: Schema = { schema: { type: 'integer' } }

const quotaHeaders: Schema = {
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

const headersOf: Readonly<Record<string, Schema>> = {
  200: successHeaders,
  201: successHeaders,
  429: { ...quotaHeaders, ...retryAfter },
  503: retryAfter,
}

function describeAnswers(answers: Operation['responses']): Readonly<Record<string, Schema>> {
  return Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, describeAnswer(status, answer)]))
}

function describeAnswer(status: string, [description, body]: Described): Schema {
  const headers = headersOf[status]
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${body}` } } }
  return { description, ...(headers === undefined ? {} : { headers }), content }
}

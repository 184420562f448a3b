import {
  type Endpoint,
  type EndpointName,
  endpoints,
  keyHeader,
  keyQueryParameter,
} from '../../src/protocol/endpoints.ts'
import { rateHeaders, refusalMessages } from '../../src/protocol/rate-limits.ts'
import { type Described, type Operation, operations, type Schema, schemas } from './operations.ts'

/**
 * Describes the service's five calls as in the spec, without the effect of settings.
 * @param serverUrl the service's address; default: a variable
 */
export function describeService(serverUrl?: string) {
  const anywhere = {
    url: '{base_url}',
    variables: { base_url: { default: 'https://files.example', description: 'Scheme, host and port.' } },
  }
  return {
    openapi: '3.1.0' as const,
    // The API has no version of its own (spec 9).
    info: {
      title: 'File hosting API',
      version: '1',
      description:
        'Upload, list, show and delete files; statistics. Each call costs units of quotas of ten seconds, a minute, an hour and a day.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [serverUrl === undefined ? anywhere : { url: serverUrl }],
    security: [{ ApiKeyHeader: [] }, { ApiKeyQuery: [] }],
    paths: describePaths(),
    components: {
      schemas,
      headers,
      securitySchemes: {
        ApiKeyHeader: {
          type: 'apiKey',
          in: 'header',
          name: keyHeader,
          description: 'The key of the account. This header counts before the query (spec 5.3).',
        },
        ApiKeyQuery: {
          type: 'apiKey',
          in: 'query',
          name: keyQueryParameter,
          description: 'Only read where the header is absent. Addresses end up in logs: prefer the header.',
        },
      },
    },
  }
}

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = ReturnType<typeof describeService>

function describePaths(): Readonly<Record<string, Schema>> {
  const paths: Record<string, Schema> = {}
  for (const [name, { path, method, cost }] of Object.entries<Endpoint>(endpoints)) {
    const { responses, ...operation } = operations[name as EndpointName]
    const described = {
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

const units: Schema = { type: 'integer', minimum: 0 }

const headers: Readonly<Record<string, Schema>> = {
  [rateHeaders.limit]: { description: 'Units per minute.', schema: units },
  [rateHeaders.remaining]: { description: 'Units left in the minute.', schema: units },
  [rateHeaders.reset]: { description: 'When the minute ends; the unit is not specified.', schema: { type: 'integer' } },
  [rateHeaders.cost]: { description: 'Units this request cost.', schema: units },
  [rateHeaders.retryAfter]: { description: 'When to come back: seconds or an HTTP date.', schema: { type: 'string' } },
}

const { limit, remaining, reset, cost, retryAfter } = rateHeaders
const charged = [limit, remaining, reset, cost]

/** The headers of each answer, none of them certain: an account without quotas has only its costs told. */
const headersOf: Readonly<Record<string, readonly string[]>> = {
  // Those from 404 to 422 are refused after the quota check.
  ...Object.fromEntries([200, 201, 404, 413, 422, 500].map((status) => [status, charged])),
  429: [...charged, retryAfter],
  503: [retryAfter],
}

function describeAnswers(answers: Operation['responses']): Readonly<Record<string, Schema>> {
  return Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, describeAnswer(status, answer)]))
}

function describeAnswer(status: string, [description, body]: Described): Schema {
  const names = headersOf[status] ?? []
  const described = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${body}` } } }
  return { description, ...(names.length > 0 && { headers: described }), content }
}

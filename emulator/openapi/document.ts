import { keyHeader, keyQueryParameter } from '../../src/protocol/endpoints.ts'
import { describePaths } from './operations.ts'
import { type Schema, schemas } from './schemas.ts'

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

import { mediaTypes } from '../../src/protocol/media-types.ts'
import { definitions } from '../settings/definitions.ts'
import { quotaLimits } from '../settings/quota-limits.ts'
import { usableInstants } from '../values/instant.ts'
import { type JsonSchema, largestExactInteger } from '../values/json-schema.ts'

const text: JsonSchema = { description: 'text of at least one letter', type: 'string', minLength: 1 }
const textOrNull: JsonSchema = { description: 'text or null', type: ['string', 'null'] }
const instant: JsonSchema = { description: usableInstants, type: 'string', minLength: 1 }
const count: JsonSchema = {
  description: 'a whole number from zero up',
  type: 'integer',
  minimum: 0,
  maximum: largestExactInteger,
}

const file: JsonSchema = {
  description: 'an upload of a file',
  type: 'object',
  properties: {
    file: { description: 'the path of a file, from the folder of the seed', type: 'string', minLength: 1 },
    slug: { description: 'letters, digits, "_" and "-"', type: 'string', pattern: '^[A-Za-z0-9_-]+$' },
    title: textOrNull,
    views: count,
    likes: count,
    created_at: instant,
  },
  required: ['file'],
  additionalProperties: false,
}

const batch: JsonSchema = {
  description: 'synthetic uploads, which have no bytes',
  type: 'object',
  properties: {
    count: { description: 'a whole number from 1 to 1000000', type: 'integer', minimum: 1, maximum: 1_000_000 },
    mime_type: {
      description: `one of ${mediaTypes.map(({ mimeType }) => mimeType).join(', ')}`,
      enum: mediaTypes.map(({ mimeType }) => mimeType),
    },
    size: {
      description: 'a whole number of bytes from 1 up',
      type: 'integer',
      minimum: 1,
      maximum: largestExactInteger,
    },
    created_at: instant,
    interval_seconds: { description: 'a number of seconds from zero up', type: 'number', minimum: 0 },
  },
  required: ['count'],
  additionalProperties: false,
}

const uploads: JsonSchema = { description: 'an object with file, or with count', anyOf: [file, batch] }

const account: JsonSchema = {
  description: 'an account',
  type: 'object',
  properties: {
    api_key: {
      description: 'one or more visible ASCII characters',
      type: 'string',
      pattern: '^[\\x21-\\x7e]+$',
    },
    email: text,
    password: text,
    suspended: { description: 'true or false', type: 'boolean' },
    suspension_reason: textOrNull,
    ip_allowlist: {
      description: 'a list of addresses and CIDR ranges',
      type: 'array',
      items: { description: 'an address or a CIDR range', type: 'string' },
    },
    quotas: { description: `${quotaLimits.accepts}, or null`, anyOf: [quotaLimits.schema, { type: 'null' }] },
    albums: count,
    feed_views: count,
    uploads: {
      description: 'an object with file or with count, or a list of such',
      anyOf: [{ type: 'array', items: uploads }, file, batch],
    },
  },
  additionalProperties: false,
}

/**
 * The JSON Schema of a seed: published for editors and used to check seeds. What it cannot express (no key twice, files
 * exist) is checked when the seed is applied.
 */
export const seedSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Seed of the filehost emulator',
  description: 'an object with accounts and settings',
  type: 'object',
  properties: {
    $schema: { description: 'the address of this schema', type: 'string' },
    accounts: { description: 'a list of accounts', type: 'array', items: account },
    settings: {
      description: 'settings by their names',
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(definitions).map(([name, { kind }]) => [name, { description: kind.accepts, ...kind.schema }]),
      ),
      additionalProperties: false,
    },
  },
  additionalProperties: false,
} as const satisfies JsonSchema & { readonly $schema: string; readonly title: string }

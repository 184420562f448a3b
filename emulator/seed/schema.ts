import { batchFields } from '../control/upload-batch.ts'
import { definitions } from '../settings/definitions.ts'
import { quotaLimits } from '../settings/quota-limits.ts'
import { usableInstants } from '../values/instant.ts'
import type { JsonSchema } from '../values/json-schema.ts'
import { apiKey, count, nonEmptyText, orNull, slug, text, trueOrFalse, type ValueType } from '../values/value-type.ts'

const file = objectSchema('an upload of a file', ['file'], {
  file: { ...nonEmptyText.schema, description: 'the path of a file, relative to the folder of the seed' },
  slug: slug.schema,
  title: orNull(text).schema,
  views: count.schema,
  likes: count.schema,
  created_at: { ...nonEmptyText.schema, description: usableInstants },
})

const batch = objectSchema('synthetic uploads, which have no bytes', ['count'], schemasOf(batchFields))

const account = objectSchema('an account', [], {
  api_key: apiKey.schema,
  email: nonEmptyText.schema,
  password: nonEmptyText.schema,
  suspended: trueOrFalse.schema,
  suspension_reason: orNull(text).schema,
  ip_allowlist: {
    description: 'a list of addresses and CIDR ranges',
    type: 'array',
    items: { description: 'an address or a CIDR range', type: 'string' },
  },
  quotas: orNull(quotaLimits).schema,
  albums: count.schema,
  feed_views: count.schema,
  uploads: {
    description: 'an object with file or with count, or a list of such',
    anyOf: [
      { type: 'array', items: { description: 'an object with file, or with count', anyOf: [file, batch] } },
      file,
      batch,
    ],
  },
})

/**
 * The JSON Schema of a seed: published for editors and used to check seeds. What it cannot express (no key twice, files
 * exist) is checked when the seed is applied.
 */
export const seedSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Seed of the filehost emulator',
  ...objectSchema('an object with accounts and settings', [], {
    $schema: { description: 'the address of this schema', type: 'string' },
    accounts: { description: 'a list of accounts', type: 'array', items: account },
    settings: objectSchema(
      'settings by their names',
      [],
      schemasOf(Object.fromEntries(Object.entries(definitions).map(([name, { type }]) => [name, type]))),
    ),
  }),
}

function objectSchema(
  description: string,
  required: readonly string[],
  properties: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  return {
    description,
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  }
}

function schemasOf(types: Readonly<Record<string, Pick<ValueType<unknown>, 'schema'>>>): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(types).map(([name, { schema }]) => [name, schema]))
}

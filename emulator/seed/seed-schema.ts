import { newAccountFields } from '../control/account-patch.ts'
import { batchFields } from '../control/upload-batch.ts'
import { definitions } from '../settings/definitions.ts'
import { uploadDetails } from '../storage/records.ts'
import { type FieldCodecs, snakeCase } from '../values/codec.ts'
import type { JsonSchema } from '../values/json-schema.ts'
import { instant, nonEmptyText, slug } from '../values/value-type.ts'

const file = objectSchema('an upload of a file', ['file'], {
  file: { ...nonEmptyText.schema, description: 'the path of a file, relative to the folder of the seed' },
  ...schemasOf({ slug, ...uploadDetails }),
  created_at: instant.schema,
})

const batch = objectSchema('synthetic uploads, which have no bytes', ['count'], schemasOf(batchFields))

const account = objectSchema('an account', [], {
  ...schemasOf(newAccountFields),
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
  return { description, type: 'object', properties, required, additionalProperties: false }
}

function schemasOf(codecs: FieldCodecs): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(codecs).map(([name, { schema = {} }]) => [snakeCase(name), schema]))
}

import { newAccountFields } from '../control/account-control.ts'
import { batchFields } from '../control/upload-batch.ts'
import { definitions } from '../settings/definitions.ts'
import { uploadDetails } from '../storage/record-types.ts'
import { anyOf, fieldsOf, listOf } from '../values/codec.ts'
import { instant, nonEmptyText, slug, text } from '../values/value-type.ts'

const path = 'the path of a file, relative to the folder of the seed'
const file = fieldsOf(
  {
    file: { ...nonEmptyText, schema: { ...nonEmptyText.schema, description: path } },
    slug,
    ...uploadDetails,
    createdAt: instant,
  },
  { required: ['file'], accepts: 'an upload of a file' },
)

const batch = fieldsOf(batchFields, {
  required: ['count'],
  accepts: 'synthetic uploads, which have no bytes',
})

const uploads = anyOf(
  'an object with file or with count, or a list of such',
  listOf(anyOf('an object with file, or with count', file, batch)),
  file,
  batch,
)

const settings = Object.entries(definitions).map(([name, { type }]) => [name, type] as const)

export const seedKind = fieldsOf(
  {
    $schema: { ...text, schema: { ...text.schema, description: 'the address of this schema' } },
    accounts: listOf(fieldsOf({ ...newAccountFields, uploads }, { accepts: 'an account' }), 'a list of accounts'),
    settings: fieldsOf(Object.fromEntries(settings), { accepts: 'settings by their names' }),
  },
  { accepts: 'an object with accounts and settings' },
)

/**
 * The JSON Schema of a seed, published for editors. What it cannot express (a time zone exists, no key twice, files exist)
 * is checked when the seed is read and applied.
 */
export const seedSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Seed of the filehost emulator',
  ...seedKind.schema,
}

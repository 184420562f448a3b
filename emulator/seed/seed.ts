import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { ArgumentError } from '../../src/checks/coded-error.ts'
import { parseNamedJson } from '../../src/checks/json.ts'
import { Mismatch } from '../../src/checks/values.ts'
import { reasonOf } from '../../src/system/system-errors.ts'
import { type NewAccountFields, newAccountFields } from '../control/account-control.ts'
import { batchFields, type UploadBatch } from '../control/upload-batch.ts'
import { definitions } from '../settings/definitions.ts'
import type { SettingChanges } from '../settings/settings.ts'
import { uploadDetails } from '../storage/record-types.ts'
import { anyOf, fieldsOf, type JsonFieldsOf, listOf } from '../values/codec.ts'
import { mismatchWords } from '../values/reading.ts'
import { instant, nonEmptyText, slug, text } from '../values/value-type.ts'

/** The initial state of an emulator, restored by every reset. */
export interface Seed {
  /** For editors; the emulator ignores it. */
  readonly $schema?: string
  /** The first is the emulator's first account. Default: one empty account. */
  readonly accounts?: readonly SeedAccount[]
  /** Initial settings; options and flags of the same name override them. */
  readonly settings?: SettingChanges
}

/** An account, with the fields of the control API. */
export interface SeedAccount extends NewAccountFields {
  readonly uploads?: SeedUploads | readonly SeedUploads[]
}

/** One upload of a file, or a batch of synthetic uploads. */
export type SeedUploads = SeedFile | UploadBatch

/** An upload of a file of this machine. Only a seed can name files; no HTTP call can. */
export interface SeedFile extends Partial<JsonFieldsOf<typeof uploadDetails>> {
  /** A path, relative to the seed file, or to the working folder if the seed is an object. */
  readonly file: string
  /** Default: random. */
  readonly slug?: string
  /** ISO 8601. Default: the moment at which the seed is applied. */
  readonly created_at?: string
}

/** A seed that cannot be used; the message names the place in it as a JSON pointer and what belongs there. */
export class SeedError extends ArgumentError<'invalid-seed'> {
  override readonly name = 'SeedError'

  constructor(message: string, options?: ErrorOptions) {
    super('invalid-seed', message, options)
  }
}

export function isSeedFile(uploads: SeedUploads): uploads is SeedFile {
  return 'file' in uploads
}

const filePath = 'the path of a file, relative to the folder of the seed'
const fileKind = fieldsOf(
  {
    file: { ...nonEmptyText, schema: { ...nonEmptyText.schema, description: filePath } },
    slug,
    ...uploadDetails,
    createdAt: instant,
  },
  { required: ['file'], accepts: 'an upload of a file' },
)

const batchKind = fieldsOf(batchFields, {
  required: ['count'],
  accepts: 'synthetic uploads, which have no bytes',
})

const uploadsKind = anyOf(
  'an object with file or with count, or a list of such',
  listOf(anyOf('an object with file, or with count', fileKind, batchKind)),
  fileKind,
  batchKind,
)

const settingKinds = Object.entries(definitions).map(([name, { type }]) => [name, type] as const)

export const seedKind = fieldsOf(
  {
    $schema: { ...text, schema: { ...text.schema, description: 'the address of this schema' } },
    accounts: listOf(
      fieldsOf({ ...newAccountFields, uploads: uploadsKind }, { accepts: 'an account' }),
      'a list of accounts',
    ),
    settings: fieldsOf(Object.fromEntries(settingKinds), { accepts: 'settings by their names' }),
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

/** A seed that matches its schema, and its source. */
export interface LoadedSeed {
  readonly seed: Seed
  /** What messages call it. */
  readonly name: string
  /** Paths in the seed are relative to this folder. */
  readonly folder: string
}

export const emptySeed: LoadedSeed = { seed: {}, name: 'The seed', folder: '.' }

/**
 * @param given a seed, or the path of a JSON file with one
 * @throws SeedError if the file cannot be read, or naming the place in the seed that is wrong and what belongs there
 */
export async function loadSeed(given: Seed | string): Promise<LoadedSeed> {
  const loaded =
    typeof given === 'string'
      ? { seed: await readSeed(given), name: given, folder: dirname(resolve(given)) }
      : { seed: given, name: 'The seed', folder: process.cwd() }
  if (Object(loaded.seed).format === 'filehost-emulator') {
    throw new SeedError(`${loaded.name} is a snapshot, not a seed: PUT it to /_emulator/state`)
  }
  const read = seedKind.read(loaded.seed)
  if (read instanceof Mismatch) throw seedError(loaded, pointerTo(read), mismatchWords(read))
  return loaded
}

/** A JSON pointer (RFC 6901). */
function pointerTo({ steps }: Mismatch): string {
  return steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** @param at a JSON pointer */
export function seedError({ name }: Pick<LoadedSeed, 'name'>, at: string, message: string, cause?: unknown): SeedError {
  const place = at === '' ? 'the seed' : at
  return new SeedError(`${name}: ${place} ${message}`, cause === undefined ? undefined : { cause })
}

async function readSeed(path: string): Promise<Seed> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    throw new SeedError(`Cannot read the seed ${path}: ${reasonOf(cause)}`, { cause })
  }
  try {
    // Its schema is checked later.
    return parseNamedJson(text) as Seed
  } catch (cause) {
    // The parser quotes the place including line ends.
    throw new SeedError(`The seed ${path} is not JSON: ${reasonOf(cause).replaceAll(/\s+/g, ' ')}`, { cause })
  }
}

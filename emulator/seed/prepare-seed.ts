import { parseUploadBatch } from '../control/upload-batch.ts'
import { randomText } from '../service/random-text.ts'
import { isUsableInstant, usableInstants } from '../values/usable-instant.ts'
import { type LoadedSeed, seedError } from './load-seed.ts'
import { isSeedFile, type SeedAccount, type SeedUploads } from './seed.ts'

/** The first account's, unless a seed says otherwise: an emulator's sign-in is no secret, and has to be known. */
const firstSignIn = { email: 'user@example.com', password: 'password' }

/** An account whose key and sign-in no longer change, however often it is planted. */
export interface PlantableAccount extends Omit<SeedAccount, 'uploads'> {
  readonly api_key: string
  readonly email: string
  readonly password: string
  readonly uploads: readonly PlacedUploads[]
}

/** Uploads and where in the seed they stand, as a JSON pointer. */
export interface PlacedUploads {
  readonly at: string
  readonly what: SeedUploads
}

/**
 * Settles all that a seed leaves open, and sees to it that planting cannot fail.
 * @param firstApiKey the first account's, where it is known already
 * @returns at least one account
 * @throws SeedError where accounts or uploads have the same of what must differ, or an instant is none
 */
export function prepareSeed(
  source: LoadedSeed,
  firstApiKey: string | undefined,
): readonly [PlantableAccount, ...PlantableAccount[]] {
  const [first = {}, ...others] = source.seed.accounts ?? []
  const withFirst = { ...firstSignIn, ...first, ...(firstApiKey === undefined ? {} : { api_key: firstApiKey }) }
  const accounts = [withFirst, ...others].map((account, index) => settled(account, `/accounts/${index}`))
  const uploads = accounts.flatMap((account) => account.uploads)
  refuseTwice(
    source,
    'api_key',
    'the API key',
    accounts.map(({ api_key }, index) => [`/accounts/${index}`, api_key]),
  )
  refuseTwice(
    source,
    'email',
    'the email',
    accounts.map(({ email }, index) => [`/accounts/${index}`, email]),
  )
  refuseTwice(
    source,
    'slug',
    'the slug',
    uploads.flatMap(({ at, what }) => slugOf(at, what)),
  )
  for (const placed of uploads) checkInstants(source, placed)
  return accounts as [PlantableAccount, ...PlantableAccount[]]
}

function settled({ uploads = [], ...fields }: SeedAccount, at: string): PlantableAccount {
  const listed = Array.isArray(uploads)
  return {
    api_key: randomText(40),
    email: `${randomText(8).toLowerCase()}@example.com`,
    password: randomText(16),
    ...fields,
    uploads: [uploads].flat().map((what: SeedUploads, index) => ({
      at: `${at}/uploads${listed ? `/${index}` : ''}`,
      what,
    })),
  }
}

function slugOf(at: string, what: SeedUploads): readonly (readonly [string, string])[] {
  return isSeedFile(what) && what.slug !== undefined ? [[at, what.slug]] : []
}

function refuseTwice(
  source: LoadedSeed,
  field: string,
  words: string,
  found: readonly (readonly [at: string, value: string])[],
): void {
  const places = new Map<string, string>()
  for (const [at, value] of found) {
    const before = places.get(value)
    if (before !== undefined)
      throw seedError(source, `${at}/${field}`, `is ${words} of ${before} too; it has to differ`)
    places.set(value, at)
  }
}

function checkInstants(source: LoadedSeed, { at, what }: PlacedUploads): void {
  const { created_at } = what
  if (created_at !== undefined && !isUsableInstant(Date.parse(created_at))) {
    throw seedError(source, `${at}/created_at`, `takes ${usableInstants}, but has ${JSON.stringify(created_at)}`)
  }
  if (isSeedFile(what)) return
  try {
    parseUploadBatch(what, Date.parse(created_at ?? '2026-01-15T12:00:00Z'))
  } catch (error) {
    throw seedError(source, at, `cannot be: ${error instanceof Error ? error.message : error}`, error)
  }
}

import { parseUploadBatch } from '../control/upload-batch.ts'
import type { Inventions } from '../service/inventions.ts'
import { publicSignIn } from '../service/sign-in/first-sign-in.ts'
import { type LoadedSeed, seedError } from './load-seed.ts'
import { isSeedFile, type SeedAccount, type SeedUploads } from './seed.ts'

type ResolvedSeedAccount = ReturnType<typeof withDefaults>
type PlacedUploads = ResolvedSeedAccount['uploads'][number]

/**
 * Fills in everything a seed leaves open and checks it, so that applying it cannot fail.
 * @param firstApiKey the first account's key, if it is known already
 * @param inventions only for the seed: a reset begins again with those of the service
 * @returns at least one account
 * @throws SeedError if a key, an email or a slug occurs twice, or the time of a batch cannot be used
 */
export function resolveSeed(
  source: LoadedSeed,
  firstApiKey: string | undefined,
  inventions: Inventions,
): readonly [ResolvedSeedAccount, ...ResolvedSeedAccount[]] {
  const [first = {}, ...others] = source.seed.accounts ?? []
  const withFirst = { ...publicSignIn, ...first, ...(firstApiKey === undefined ? {} : { api_key: firstApiKey }) }
  const accounts = [withFirst, ...others].map((account, index) =>
    withDefaults(account, `/accounts/${index}`, inventions),
  )
  const uploads = accounts.flatMap((account) => account.uploads)
  const placed = accounts.map(({ api_key, email }, index) => ({ at: `/accounts/${index}`, api_key, email }))
  refuseDuplicates(source, placed, 'api_key', 'the API key')
  refuseDuplicates(source, placed, 'email', 'the email')
  const slugs = uploads.map(({ at, what }) => ({ at, slug: isSeedFile(what) ? what.slug : undefined }))
  refuseDuplicates(source, slugs, 'slug', 'the slug')
  for (const each of uploads) checkInstants(source, each)
  return accounts as [ResolvedSeedAccount, ...ResolvedSeedAccount[]]
}

/** With key and sign-in chosen, so that every reset gives the account the same ones. @param at a JSON pointer */
function withDefaults({ uploads = [], ...fields }: SeedAccount, at: string, inventions: Inventions) {
  const listed = Array.isArray(uploads)
  return {
    api_key: inventions.apiKey(),
    email: inventions.email(),
    password: inventions.password(),
    ...fields,
    uploads: [uploads].flat().map((what: SeedUploads, index) => ({
      at: `${at}/uploads${listed ? `/${index}` : ''}`,
      what,
    })),
  }
}

function refuseDuplicates<Field extends string>(
  source: LoadedSeed,
  rows: readonly ({ readonly at: string } & { readonly [Name in Field]: string | undefined })[],
  field: Field,
  words: string,
): void {
  const places = new Map<string, string>()
  for (const { at, [field]: value } of rows) {
    if (value === undefined) continue
    const before = places.get(value)
    if (before !== undefined)
      throw seedError(source, `${at}/${field}`, `repeats ${words} of ${before}; each has to be different`)
    places.set(value, at)
  }
}

function checkInstants(source: LoadedSeed, { at, what }: PlacedUploads): void {
  if (isSeedFile(what)) return
  try {
    parseUploadBatch(what, Date.parse(what.created_at ?? '2026-01-15T12:00:00Z'))
  } catch (error) {
    throw seedError(source, at, `cannot be used: ${error instanceof Error ? error.message : error}`, error)
  }
}

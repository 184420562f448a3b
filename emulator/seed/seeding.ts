import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { reasonOf } from '../../src/system/system-errors.ts'
import { fileMessage } from '../api/response.ts'
import { createAccount, createAccountControl } from '../control/account-control.ts'
import { parseUploadBatch } from '../control/upload-batch.ts'
import type { EmulatorParts } from '../emulator-parts.ts'
import type { Inventions } from '../service/inventions.ts'
import { publicSignIn } from '../service/sign-in/first-sign-in.ts'
import { createFileIntake, fileProblems, type ReceivedFile } from '../service/uploads.ts'
import type { Settings } from '../settings/settings.ts'
import { uploadDetails } from '../storage/record-types.ts'
import { readFields } from '../values/reading.ts'
import { isSeedFile, type LoadedSeed, type SeedAccount, type SeedFile, type SeedUploads, seedError } from './seed.ts'

export interface SeedingContext extends Pick<EmulatorParts, 'service' | 'records' | 'blobs' | 'clock' | 'inventions'> {
  readonly source: LoadedSeed
  /** The initial settings, to which a reset returns. */
  readonly settings: Settings
  /** The key requested for the first account. Default: that of an earlier run, the seed's, or a new one. */
  readonly apiKey: string | undefined
}

/**
 * Finds the first account of an earlier run, or applies the seed to an empty store.
 * @returns the first account's key, at the start and after a reset
 * @throws SeedError saying what is wrong with the seed; TakenError if another account has the requested key
 */
export async function createSeeding(context: SeedingContext) {
  const { service, clock, source, inventions, apiKey, records } = context
  const { firstKey } = records
  const { accounts, uploads } = service
  const isNew = accounts.all().length === 0
  const known = isNew ? (apiKey ?? firstKey.get()) : openFirstAccount(context, apiKey)
  const resolved = resolveSeed(source, known, inventions)
  const [{ api_key: firstApiKey }] = resolved
  const files = resolved.flatMap((account) =>
    account.uploads.flatMap(({ at, what }) => (isSeedFile(what) ? [{ at, path: what.file }] : [])),
  )

  const applySeed = (stored: ReadonlyMap<string, ReceivedFile>) => {
    const control = createAccountControl(service, clock)
    for (const account of resolved) {
      const { uploads: listed, ...fields } = account
      const { id } = createAccount(service, fields).account
      for (const { at, what } of listed) {
        const file = stored.get(at)
        if (!isSeedFile(what)) control.addUploads(id, what)
        else if (file !== undefined) uploads.addStored(id, file, detailsOf(what))
      }
    }
    if (firstKey.get() !== firstApiKey) firstKey.set(firstApiKey)
  }
  /**
   * Stores the files of the seed.
   * @returns a function that fills an empty store, synchronously
   * @throws SeedError if a file is gone or the service no longer accepts it
   */
  const prepare = async () => {
    const stored = await storeFiles(files, context)
    return () => applySeed(stored)
  }

  if (isNew) (await prepare())()
  return { apiKey: firstApiKey, prepare }
}

/**
 * Finds the first account of an earlier run, or creates one if there are no accounts. Keys are stored as hashes, so if
 * the records came from another emulator's snapshot, no key is known; the oldest account then gets the key.
 *
 * @param given the key it gets; default: the one it had, or a new one
 * @returns its key
 * @throws TakenError if another account has the given key
 */
function openFirstAccount({ service, records }: SeedingContext, given: string | undefined): string {
  const [{ accounts }, { firstKey }] = [service, records]
  const remembered = firstKey.get()
  const key = given ?? remembered
  const find = (one: string | undefined) => (one === undefined ? undefined : records.accounts.findByKey(one))
  const first = find(remembered) ?? find(given) ?? accounts.all()[0]
  const withKey = (id: number) =>
    key !== undefined && find(key)?.id === id ? key : accounts.regenerateKey(id, { apiKey: key })
  const held = first === undefined ? accounts.create({ apiKey: key }).apiKey : withKey(first.id)
  if (remembered !== held) firstKey.set(held)
  return held
}

function detailsOf({ file: _path, slug, created_at, ...details }: SeedFile) {
  return {
    ...readFields(details, uploadDetails),
    ...(slug !== undefined && { slug }),
    ...(created_at !== undefined && { createdAt: Date.parse(created_at) }),
  }
}

type ResolvedSeedAccount = ReturnType<typeof withDefaults>
type PlacedUploads = ResolvedSeedAccount['uploads'][number]

/**
 * Fills in everything a seed leaves open and checks it, so that applying it cannot fail.
 * @param firstApiKey the first account's key, if it is known already
 * @param inventions only for the seed: a reset begins again with those of the service
 * @returns at least one account
 * @throws SeedError if a key, an email or a slug occurs twice, or the time of a batch cannot be used
 */
function resolveSeed(
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

interface NamedFile {
  /** The JSON pointer of its upload. */
  readonly at: string
  readonly path: string
}

/**
 * Stores files as the service would store uploads.
 * @returns the stored files by the JSON pointer of their upload
 * @throws SeedError naming a file that cannot be read or that the service would refuse; no file is stored then
 */
async function storeFiles(
  files: readonly NamedFile[],
  context: SeedingContext,
): Promise<ReadonlyMap<string, ReceivedFile>> {
  const stored = new Map<string, ReceivedFile>()
  try {
    for (const file of files) stored.set(file.at, await storeFile(file, context))
    return stored
  } catch (error) {
    for (const { blobId } of stored.values()) if (blobId !== undefined) context.blobs.remove(blobId)
    throw error
  }
}

async function storeFile({ at, path }: NamedFile, { blobs, source, settings }: SeedingContext): Promise<ReceivedFile> {
  const { max_file_size: maxBytes, reencode } = settings
  const intake = createFileIntake({ blobs, name: path, maxBytes, reencode })
  try {
    const found = resolve(source.folder, path)
    // Without O_NONBLOCK, opening a pipe can hang.
    await using file = await open(found, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    if (!(await file.stat()).isFile()) throw new Error('it is not a regular file')
    for await (const chunk of file.createReadStream({ autoClose: false })) await intake.write(chunk)
  } catch (error) {
    await intake.discard()
    const reason = `names ${path}, which cannot be read: ${reasonOf(error)}`
    throw seedError(source, `${at}/file`, `${reason}. Paths are relative to ${source.folder}`, error)
  }
  const received = await intake.finish()
  const [problem] = fileProblems(received, settings.max_file_size)
  if (problem === undefined) return received
  if (received.blobId !== undefined) blobs.remove(received.blobId)
  throw seedError(source, `${at}/file`, `names ${path}, which the service refuses: ${fileMessage(problem, settings)}`)
}

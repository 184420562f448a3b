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
import { type AccountRecord, uploadDetails } from '../storage/record-types.ts'
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
  const [oldest] = service.accounts.all()
  const known = oldest === undefined ? (apiKey ?? firstKey.get()) : openFirstAccount(oldest, context)
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
        else if (file !== undefined) service.uploads.addStored(id, file, detailsOf(what))
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

  if (oldest === undefined) (await prepare())()
  return { apiKey: firstApiKey, prepare }
}

/**
 * Finds the first account of an earlier run. Keys are stored as hashes, so if the records came from another emulator's
 * snapshot, no key is known; the oldest account then gets the requested key, the one that the first had, or a new one.
 * @returns its key
 * @throws TakenError if another account has the requested key
 */
function openFirstAccount(oldest: AccountRecord, { service, records, apiKey: given }: SeedingContext): string {
  const [{ accounts }, { firstKey }] = [service, records]
  const remembered = firstKey.get()
  const key = given ?? remembered
  const find = (one: string | undefined) => (one === undefined ? undefined : records.accounts.findByKey(one))
  const first = find(remembered) ?? find(given) ?? oldest
  const isHeld = key !== undefined && find(key)?.id === first.id
  const held = isHeld ? key : accounts.regenerateKey(first.id, { apiKey: key })
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
  for (const field of ['api_key', 'email'] as const) {
    refuseRepeats(
      source,
      accounts.map((account, index) => [`/accounts/${index}/${field}`, account[field]]),
    )
  }
  refuseRepeats(
    source,
    uploads.map(({ at, what }) => [`${at}/slug`, isSeedFile(what) ? what.slug : undefined]),
  )
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

/** @param values each with its place */
function refuseRepeats(
  source: LoadedSeed,
  values: readonly (readonly [at: string, value: string | undefined])[],
): void {
  const places = new Map<string, string>()
  for (const [at, value] of values) {
    const before = value === undefined ? undefined : places.get(value)
    if (before !== undefined) throw seedError(source, at, `repeats ${before}; each has to be different`)
    if (value !== undefined) places.set(value, at)
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

/** With the JSON pointer of its upload. */
interface NamedFile {
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

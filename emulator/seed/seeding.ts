import { createAccount, createAccountControl } from '../control/account-control.ts'
import type { EmulatorParts } from '../emulator-parts.ts'
import type { Accounts } from '../service/accounts.ts'
import type { ReceivedFile } from '../service/submitted-file.ts'
import type { Settings } from '../settings/settings.ts'
import { type AccountRecord, uploadDetails } from '../storage/record-types.ts'
import { readFields } from '../values/reading.ts'
import type { LoadedSeed } from './load-seed.ts'
import { resolveSeed } from './resolve-seed.ts'
import { isSeedFile, type SeedFile } from './seed.ts'

export interface SeedingContext extends Pick<EmulatorParts, 'service' | 'records' | 'blobs' | 'clock' | 'inventions'> {
  readonly source: LoadedSeed
  /** The initial settings. */
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
  const { service, blobs, clock, source, settings, inventions, apiKey, records } = context
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
    if (files.length === 0) return () => applySeed(new Map())
    // Loaded lazily: most seeds name no files.
    const { storeFiles } = await import('./seed-files.ts')
    const stored = await storeFiles(files, { blobs, source, settings })
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
  const first = find(accounts, remembered) ?? find(accounts, given) ?? accounts.all()[0]
  const held = first === undefined ? accounts.create({ apiKey: key }).apiKey : withKey(accounts, first.id, key)
  if (remembered !== held) firstKey.set(held)
  return held
}

function find(accounts: Accounts, key: string | undefined): AccountRecord | undefined {
  return key === undefined ? undefined : accounts.findByKey(key)
}

function withKey(accounts: Accounts, id: number, key: string | undefined): string {
  return key !== undefined && accounts.findByKey(key)?.id === id ? key : accounts.regenerateKey(id, { apiKey: key })
}

function detailsOf({ file: _path, slug, created_at, ...details }: SeedFile) {
  return {
    ...readFields(details, uploadDetails),
    ...(slug !== undefined && { slug }),
    ...(created_at !== undefined && { createdAt: Date.parse(created_at) }),
  }
}

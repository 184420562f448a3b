import type { EmulatorClock } from '../clock.ts'
import { createAccountControl } from '../control/account-control.ts'
import type { ReceivedFile } from '../service/file-rules.ts'
import type { Service } from '../service/service.ts'
import type { Settings } from '../settings/settings.ts'
import type { BlobStore } from '../storage/blob-store.ts'
import type { FirstKey } from '../storage/folder/first-key.ts'
import { uploadDetails } from '../storage/records.ts'
import { readFields } from '../values/codec.ts'
import { openFirstAccount } from './first-account.ts'
import type { LoadedSeed } from './load-seed.ts'
import { resolveSeed } from './resolve-seed.ts'
import { isSeedFile, type SeedFile } from './seed.ts'

/** The seeding of a store, at the start and after every reset. */
export interface Seeding {
  /** The first account's key, at the start and after a reset. */
  readonly apiKey: string
  /**
   * Stores the files of the seed.
   * @returns a function that fills an empty store, synchronously
   * @throws SeedError if a file is gone or the service no longer accepts it
   */
  prepare(): Promise<() => void>
}

export interface SeedingContext {
  readonly service: Service
  readonly blobs: BlobStore
  readonly clock: EmulatorClock
  readonly firstKey: FirstKey
  readonly source: LoadedSeed
  /** The initial settings. */
  readonly settings: Settings
  /** The key requested for the first account. Default: that of an earlier run, the seed's, or a new one. */
  readonly apiKey: string | undefined
}

/**
 * Finds the first account of an earlier run, or applies the seed to an empty store.
 * @throws SeedError saying what is wrong with the seed; TakenError if another account has the requested key
 */
export async function createSeeding(context: SeedingContext): Promise<Seeding> {
  const { service, blobs, clock, firstKey, source, settings, apiKey } = context
  const { accounts, uploads } = service
  const isNew = accounts.all().length === 0
  const known = isNew ? (apiKey ?? firstKey.candidates()[0]) : openFirstAccount({ accounts, firstKey }, apiKey)
  const resolved = resolveSeed(source, known)
  const [{ api_key: firstApiKey }] = resolved
  const files = resolved.flatMap((account) =>
    account.uploads.flatMap(({ at, what }) => (isSeedFile(what) ? [{ at, path: what.file }] : [])),
  )

  const applySeed = (stored: ReadonlyMap<string, ReceivedFile>) => {
    const control = createAccountControl(service, clock)
    for (const account of resolved) {
      const { uploads: listed, ...fields } = account
      const { id } = control.create(fields)
      for (const { at, what } of listed) {
        const file = stored.get(at)
        if (!isSeedFile(what)) control.addUploads(id, what)
        else if (file !== undefined) uploads.addStored(id, file, detailsOf(what))
      }
    }
    if (firstKey.candidates()[0] !== firstApiKey) firstKey.remember(firstApiKey)
  }
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

function detailsOf({ file: _path, slug, created_at, ...details }: SeedFile) {
  return {
    ...readFields(details, uploadDetails),
    ...(slug !== undefined && { slug }),
    ...(created_at !== undefined && { createdAt: Date.parse(created_at) }),
  }
}

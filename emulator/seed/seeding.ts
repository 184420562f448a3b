import type { EmulatorClock } from '../clock.ts'
import { createAccountControl } from '../control/account-control.ts'
import type { ReceivedFile } from '../service/file-rules.ts'
import type { Service } from '../service/service.ts'
import type { Settings } from '../settings/settings.ts'
import type { BlobStore } from '../storage/blob-store.ts'
import type { FirstKey } from '../storage/folder/first-key.ts'
import { openFirstAccount } from './first-account.ts'
import type { LoadedSeed } from './load-seed.ts'
import { prepareSeed } from './prepare-seed.ts'
import { isSeedFile, type SeedFile } from './seed.ts'

/** What is there at the start, beginning with the first account. */
export interface Planting {
  /** The first account's, at the start and after a reset. */
  readonly apiKey: string
  /**
   * Stores the files of the seed.
   * @returns what fills an empty store, in one turn
   * @throws SeedError where a file is no longer there, or no longer taken
   */
  prepare(): Promise<() => void>
}

export interface PlantingContext {
  readonly service: Service
  readonly blobs: BlobStore
  readonly clock: EmulatorClock
  readonly firstKey: FirstKey
  readonly source: LoadedSeed
  /** The settings at the start. */
  readonly settings: Settings
  /** The key that was asked for; unless given, the one of an earlier run, the seed's or a new one. */
  readonly apiKey: string | undefined
}

/**
 * Takes up the first account of an earlier run, or plants the seed where there was none.
 * @throws SeedError saying what the seed should have; TakenError where the given key is another account's
 */
export async function createPlanting(context: PlantingContext): Promise<Planting> {
  const { service, blobs, clock, firstKey, source, settings, apiKey } = context
  const { accounts, uploads } = service
  const isNew = accounts.all().length === 0
  const known = isNew ? (apiKey ?? firstKey.candidates()[0]) : openFirstAccount({ accounts, firstKey }, apiKey)
  const planted = prepareSeed(source, known)
  const [{ api_key: firstApiKey }] = planted
  const files = planted.flatMap((account) =>
    account.uploads.flatMap(({ at, what }) => (isSeedFile(what) ? [{ at, path: what.file }] : [])),
  )

  const plant = (stored: ReadonlyMap<string, ReceivedFile>) => {
    const control = createAccountControl(service, clock)
    for (const account of planted) {
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
    if (files.length === 0) return () => plant(new Map())
    // Loaded here, for most seeds name no files.
    const { storeFiles } = await import('./seed-files.ts')
    const stored = await storeFiles(files, { blobs, source, settings })
    return () => plant(stored)
  }

  if (isNew) (await prepare())()
  return { apiKey: firstApiKey, prepare }
}

function detailsOf({ slug, title, views, likes, created_at }: SeedFile) {
  return {
    ...(slug !== undefined && { slug }),
    ...(title !== undefined && { title }),
    ...(views !== undefined && { views }),
    ...(likes !== undefined && { likes }),
    ...(created_at !== undefined && { createdAt: Date.parse(created_at) }),
  }
}

import { existsSync } from 'node:fs'
import { SqliteUploads, type SqliteUploadsOptions } from '../../store/sqlite-uploads.ts'
import { StoreError } from '../../store/store-error.ts'
import type { UploadStore } from '../../store/upload-store.ts'
import { accountAddress, accountHash } from '../../system/account-hash.ts'
import { uploadsPath } from '../../uploads/names.ts'
import type { Credentials } from '../config/credentials.ts'
import { readSetting } from '../config/settings.ts'
import { hints } from '../failures/hints.ts'
import { notes, silentLedger } from '../output/notes.ts'
import { type Context, LONG_PATIENCE_MS } from './context.ts'

/** `journal`: whether what the run does is remembered, and what others did is heeded. */
type StoreChoice = { readonly journal?: boolean | undefined }

/** What this machine knows of the uploads of an account. If it cannot be used, the run continues in memory after a warning. */
export function openUploadStore(
  choice: StoreChoice,
  credentials: Credentials,
  context: Pick<Context, 'clock' | 'io' | 'warn'>,
): UploadStore {
  return new SqliteUploads(storeOptions(choice, credentials, context))
}

function storeOptions(
  { journal = true }: StoreChoice,
  { baseUrl, apiKey }: Credentials,
  { clock, io, warn }: Pick<Context, 'clock' | 'io' | 'warn'>,
): SqliteUploadsOptions {
  return {
    path: journal ? uploadsPath(io.env) : undefined,
    account: { address: accountAddress(baseUrl), keyHash: accountHash(baseUrl, apiKey) },
    clock,
    onProblem(problem) {
      const { type, path } = problem
      if (type === 'damaged') return warn({ message: notes.damaged(path, problem.aside, problem.saved) })
      const message = type === 'network' ? notes.networkDisk(path) : notes.unremembered(path, problem.reason)
      warn({ message, hint: hints.stateFolder })
    },
  }
}

/** The same, shared with all runners of the key where a ledger is set. */
export async function openSharedStore(
  choice: StoreChoice & { readonly maxWaitMs?: number },
  credentials: Credentials,
  context: Context,
): Promise<UploadStore> {
  const { note, warn, interruption } = context
  const fleet = choice.journal === false ? undefined : await context.fleet()
  if (fleet === undefined) return openUploadStore(choice, credentials, context)
  const { RedisUploads } = await import('../../store/redis/uploads.ts')
  const mostMs = Math.min(readSetting(context.settings(), 'max_wait'), choice.maxWaitMs ?? LONG_PATIENCE_MS)
  let isTold = mostMs === 0
  const onOutage = ({ message: reason, hint }: StoreError) => {
    if (!isTold) warn(silentLedger({ reason, hint }))
    isTold = true
  }
  return new RedisUploads({
    ...storeOptions(choice, credentials, context),
    session: fleet.session,
    patience: { mostMs, stopping: interruption.stopping, onOutage },
    onSettling: (ms) => note(notes.ledgerBegun(ms)),
  })
}

/** Tells runs on this machine, and other runners, what becomes of uploads that this run deletes. To be opened before requests. */
export async function openDeletionNotes(credentials: Credentials, context: Context) {
  let store: UploadStore | undefined
  const quietly = async (work: () => Promise<void> | undefined) => {
    try {
      await work()
    } catch (error) {
      // A run that does not hear of it asks the service.
      if (!(error instanceof StoreError)) throw error
    }
  }
  // Where nothing was recorded no run of this machine has uploads to skip.
  const isNeeded = existsSync(uploadsPath(context.io.env)) || context.settings().ledger !== undefined
  await quietly(async () => {
    // No deletion waits for other runners.
    if (isNeeded) store = await openSharedStore({ maxWaitMs: 0 }, credentials, context)
  })
  return {
    /** Call before each request leaves: no run skips a file for its link without asking. */
    begins: (slug: string) => quietly(() => store?.deleting(slug)),
    /** No later run skips a file for its link. */
    gone: (slug: string) => quietly(() => store?.forget([slug])),
    [Symbol.asyncDispose]: () => quietly(() => store?.close()),
  }
}

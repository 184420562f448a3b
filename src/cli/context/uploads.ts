import { existsSync } from 'node:fs'
import { SqliteUploads } from '../../store/sqlite-uploads.ts'
import { StoreError } from '../../store/store-error.ts'
import type { UploadStore } from '../../store/upload-store.ts'
import { accountAddress, accountHash } from '../../system/account-hash.ts'
import { uploadsPath } from '../../uploads/names.ts'
import type { Credentials } from '../config/credentials.ts'
import { readSetting } from '../config/settings.ts'
import { hints } from '../failures/hints.ts'
import { notes, silentLedger } from '../output/notes.ts'
import { type Context, LONG_PATIENCE_MS } from './context.ts'

interface StoreChoice {
  /** Whether what the run does is remembered, and what others did is heeded. Default: it is. */
  readonly journal?: boolean | undefined
  /** Whether other machines are left out of it, although a ledger is set. */
  readonly isLocal?: boolean
  readonly maxWaitMs?: number
}

/**
 * What this machine, and all runners of the key where a ledger is set, know of the uploads of an account. If the file cannot
 * be used, the run continues in memory after a warning.
 */
export async function openUploadStore(
  { journal = true, isLocal = false, maxWaitMs = LONG_PATIENCE_MS }: StoreChoice,
  { baseUrl, apiKey }: Credentials,
  context: Context,
): Promise<UploadStore> {
  const { clock, io, note, warn, interruption } = context
  const options: ConstructorParameters<typeof SqliteUploads>[0] = {
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
  const fleet = journal && !isLocal ? await context.fleet() : undefined
  if (fleet === undefined) return new SqliteUploads(options)
  const { RedisUploads } = await import('../../store/redis/uploads.ts')
  const mostMs = Math.min(readSetting(context.settings(), 'max_wait'), maxWaitMs)
  let isTold = mostMs === 0
  const onOutage = ({ message: reason, hint }: StoreError) => {
    if (!isTold) warn(silentLedger({ reason, hint }))
    isTold = true
  }
  return new RedisUploads({
    ...options,
    session: fleet.session,
    patience: { mostMs, stopping: interruption.stopping, onOutage },
    onSettling: (ms) => note(notes.ledgerBegun(ms)),
  })
}

/** Tells runs on this machine, and other runners, what becomes of uploads that this run deletes. To be opened before requests. */
export async function openDeletionNotes(credentials: Credentials, context: Context) {
  // Where nothing was recorded no run of this machine has uploads to skip.
  const isNeeded = existsSync(uploadsPath(context.io.env)) || context.settings().ledger !== undefined
  // A run that does not hear of it asks the service.
  const unheard = (error: unknown) => {
    if (!(error instanceof StoreError)) throw error
  }
  // No deletion waits for other runners.
  const opening = isNeeded ? openUploadStore({ maxWaitMs: 0 }, credentials, context) : undefined
  const store = (await opening?.catch(unheard)) ?? undefined
  return {
    /** Call before each request leaves: no run skips a file for its link without asking. */
    begins: async (slug: string) => store?.deleting(slug).catch(unheard),
    /** No later run skips a file for its link. */
    gone: async (slug: string) => store?.forget([slug]).catch(unheard),
    [Symbol.asyncDispose]: async () => store?.close().catch(unheard),
  }
}

import { existsSync } from 'node:fs'
import { SqliteUploads, type SqliteUploadsOptions, type UploadsProblem } from '../../store/sqlite-uploads.ts'
import { StoreError } from '../../store/store-error.ts'
import type { UploadStore } from '../../store/upload-store.ts'
import { accountAddress, accountHash } from '../../system/account-hash.ts'
import { uploadsPath } from '../../uploads/names.ts'
import type { Credentials } from '../config/credentials.ts'
import { readSetting } from '../config/settings.ts'
import { hints } from '../failures/hints.ts'
import type { Warning } from '../output/events.ts'
import { notes, silentLedger } from '../output/notes.ts'
import { type Context, LONG_PATIENCE_MS } from './context.ts'

export interface UploadStoreChoice {
  /** Whether what the run does is remembered, and what others did is heeded. */
  readonly journal?: boolean | undefined
}

/**
 * Opens what this machine knows of the uploads of an account. If it cannot be used, the run continues in memory after a
 * warning.
 * @throws StoreError `busy`, `newer`
 */
export function openUploadStore(
  choice: UploadStoreChoice,
  credentials: Credentials,
  context: Pick<Context, 'clock' | 'io' | 'warn'>,
): UploadStore {
  return new SqliteUploads(storeOptions(choice, credentials, context))
}

function storeOptions(
  { journal = true }: UploadStoreChoice,
  { baseUrl, apiKey }: Credentials,
  { clock, io, warn }: Pick<Context, 'clock' | 'io' | 'warn'>,
): SqliteUploadsOptions {
  return {
    path: journal ? uploadsPath(io.env) : undefined,
    account: { address: accountAddress(baseUrl), keyHash: accountHash(baseUrl, apiKey) },
    clock,
    onProblem: (problem) => warn(problemText(problem)),
  }
}

/** The same, shared with all runners of the key where a ledger is set. */
export async function openSharedStore(
  choice: UploadStoreChoice & { readonly maxWaitMs?: number },
  credentials: Credentials,
  context: Context,
): Promise<UploadStore> {
  const { note, warn, interruption } = context
  const fleet = choice.journal === false ? undefined : await context.fleet(credentials)
  if (fleet === undefined) return openUploadStore(choice, credentials, context)
  const { RedisUploads } = await import('../../store/redis/uploads.ts')
  const mostMs = Math.min(readSetting(context.settings(), 'max_wait'), choice.maxWaitMs ?? LONG_PATIENCE_MS)
  let isTold = false
  const onOutage = ({ message: reason, hint }: StoreError) => {
    if (!isTold && mostMs > 0) warn(silentLedger({ reason, hint }))
    isTold = true
  }
  return new RedisUploads({
    ...storeOptions(choice, credentials, context),
    session: fleet.session,
    patience: { mostMs, stopping: interruption.stopping, onOutage },
    onSettling: (ms) => note(notes.ledgerBegun(ms)),
  })
}

function problemText(problem: UploadsProblem): Warning {
  switch (problem.type) {
    case 'unusable':
      return { message: notes.unremembered(problem.path, problem.reason), hint: hints.stateFolder }
    case 'damaged':
      return { message: notes.damaged(problem.path, problem.aside, problem.saved) }
    case 'network':
      return { message: notes.networkDisk(problem.path), hint: hints.stateFolder }
  }
}

/** Tells runs on this machine, and other runners, what becomes of uploads that this run deletes. */
export function createDeletionNotes(credentials: Credentials, context: Context) {
  let opened: Promise<UploadStore | undefined> | undefined
  async function open(): Promise<UploadStore | undefined> {
    // Where nothing was recorded no run of this machine has uploads to skip.
    const isNeeded = existsSync(uploadsPath(context.io.env)) || context.settings().ledger !== undefined
    // Runners that do not hear of it ask the service: no deletion waits for them.
    return isNeeded ? await openSharedStore({ maxWaitMs: 0 }, credentials, context) : undefined
  }
  async function tell(work: (store: UploadStore) => Promise<void>): Promise<void> {
    try {
      opened ??= open()
      const store = await opened
      if (store) await work(store)
    } catch (error) {
      // A run that does not hear of it asks the service.
      if (!(error instanceof StoreError)) throw error
    }
  }
  return {
    /** Call before requests are made. */
    open: () => tell(async () => {}),
    /** Call before each request leaves: no run skips a file for its link without asking. */
    begins: (slug: string) => tell((store) => store.deleting(slug)),
    /** No later run skips a file for its link. */
    gone: (slug: string) => tell((store) => store.forget([slug])),
    [Symbol.asyncDispose]: () => (opened ? tell((store) => store.close()) : Promise.resolve()),
  }
}

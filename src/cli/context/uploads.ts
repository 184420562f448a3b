import { existsSync } from 'node:fs'
import { counted } from '../../protocol/quantities.ts'
import { StoreError } from '../../store/sqlite.ts'
import { SqliteUploads } from '../../store/sqlite-uploads.ts'
import type { UploadsProblem } from '../../store/upload-file.ts'
import type { UploadStore } from '../../store/upload-store.ts'
import { accountAddress, accountHash } from '../../system/account-hash.ts'
import { uploadsPath } from '../../uploads/uploads-path.ts'
import type { Credentials } from '../config/connection.ts'
import type { Context } from './context.ts'

export interface UploadStoreChoice {
  /** Whether what the run does is remembered, and what others did is heeded. */
  readonly journal?: boolean | undefined
  /** Changes nothing on the disk. */
  readonly isReadOnly?: boolean
}

/**
 * Opens what this machine knows of the uploads of an account. If it cannot be used, the run continues in memory after a
 * warning.
 * @throws StoreError `busy`
 */
export function openUploadStore(
  { journal = true, isReadOnly = false }: UploadStoreChoice,
  { baseUrl, apiKey }: Credentials,
  { clock, io, warn }: Pick<Context, 'clock' | 'io' | 'warn'>,
): UploadStore {
  return new SqliteUploads({
    path: journal ? uploadsPath(io.env) : undefined,
    account: { address: accountAddress(baseUrl), keyHash: accountHash(baseUrl, apiKey) },
    clock,
    isReadOnly,
    onProblem: (problem) => warn(problemText(problem)),
  })
}

function problemText(problem: UploadsProblem): { readonly message: string; readonly hint: string } {
  switch (problem.type) {
    case 'unusable':
      return {
        message: `The record of uploads ${problem.path} cannot be used: ${problem.reason}`,
        hint: 'Continuing without it: the uploads of this run will not be remembered',
      }
    case 'damaged':
      return {
        message: `The record of uploads ${problem.path} is damaged; it is kept as ${problem.aside}`,
        hint: `Recovered ${counted(problem.saved, 'upload')}; files recorded in the rest will be uploaded again`,
      }
    case 'network':
      return {
        message: `The state folder ${problem.path} is on a network disk, where nothing tells whether another run has ended`,
        hint: 'Name a folder on a disk of this machine in FH_STATE_DIR; what other runs left open stays open here',
      }
  }
}

/** Tells runs on this machine, and the fleet's record, what becomes of uploads that this run deletes. */
export function createDeletionNotes(
  credentials: Credentials,
  context: Context,
  contents: { forget(slugs: readonly string[]): void } | undefined,
) {
  let store: UploadStore | undefined
  async function tell(work: (store: UploadStore) => Promise<void>): Promise<void> {
    try {
      // Where nothing was recorded no run of this machine has uploads to skip.
      if (store === undefined && existsSync(uploadsPath(context.io.env)))
        store = openUploadStore({}, credentials, context)
      if (store) await work(store)
    } catch (error) {
      // A run that does not hear of it asks the service.
      if (!(error instanceof StoreError)) throw error
    }
  }
  return {
    /** Call before each request leaves: no run skips a file for its link until the outcome is known. */
    begins: (slug: string) => tell((open) => open.deleting(slug)),
    /** No later run skips a file for its link. */
    async gone(slug: string) {
      contents?.forget([slug])
      await tell((open) => open.forget([slug]))
    },
    /** It was certainly not deleted. */
    kept: (slug: string) => tell((open) => open.kept(slug)),
    [Symbol.asyncDispose]: () => tell((open) => open.close()),
  }
}

export type DeletionNotes = ReturnType<typeof createDeletionNotes>

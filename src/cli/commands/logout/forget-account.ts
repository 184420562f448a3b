import { existsSync } from 'node:fs'
import { SqliteUploads } from '../../../store/sqlite-uploads.ts'
import type { Account, Holder } from '../../../store/upload-store.ts'
import { reasonOf } from '../../../system/system-errors.ts'
import { uploadsPath } from '../../../uploads/uploads-path.ts'
import type { Context } from '../../context/context.ts'
import { CliError } from '../../failures/cli-error.ts'

/** What this machine remembers of the uploads of accounts. */
export function openMemory({ io, clock }: Pick<Context, 'io' | 'clock'>) {
  const path = uploadsPath(io.env)

  async function withStore<Result>(
    account: Account,
    isReadOnly: boolean,
    work: (store: SqliteUploads) => Promise<Result>,
  ): Promise<Result> {
    try {
      let reason: string | undefined
      const onProblem = (problem: { readonly type: string; readonly reason?: string }) => {
        if (problem.type === 'unusable') reason = problem.reason
      }
      const store = new SqliteUploads({ path, account, clock, isReadOnly, onProblem })
      try {
        const result = await work(store)
        if (reason !== undefined) throw new Error(reason)
        return result
      } finally {
        await store.close()
      }
    } catch (error) {
      throw new CliError('state-unwritable', `The record of uploads was not forgotten: ${reasonOf(error)}`, {
        hint: `Run it again with the key in FH_API_KEY, or look at ${path}`,
        cause: error,
      })
    }
  }

  return {
    /**
     * Whether an account has uploads here; where it is not known, whether anything was recorded.
     * @throws CliError of code `state-unwritable` where that cannot be read
     */
    async has(account: Account | undefined): Promise<boolean> {
      if (account === undefined || !existsSync(path)) return existsSync(path)
      return await withStore(account, true, async (store) => {
        const all = [await store.latestSlugs(), await store.leftOpen(), await store.underway()]
        return all.some(({ length }) => length > 0)
      })
    },
    /**
     * Forgets the uploads of the account; what runs at work have of it once they are over.
     * @returns those runs
     * @throws CliError of code `state-unwritable` where they are still remembered
     */
    forget: (account: Account): Promise<readonly Holder[]> =>
      withStore(account, false, async (store) => (await store.forgetAccount()) ?? []),
    /** What to delete by hand to forget all accounts. */
    path,
  }
}

export type Memory = ReturnType<typeof openMemory>

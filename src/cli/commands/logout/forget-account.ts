import { parseLines, type RunFact } from '../../../contents/journal-facts.ts'
import { openJournalFile, recordOf, usualJournal } from '../../../contents/journal-file.ts'
import { foldOf } from '../../../contents/journal-fold.ts'
import { leaveAccount } from '../../../contents/record/move-to-record.ts'
import { openRecordFile } from '../../../contents/record/record-file.ts'
import { waitingForLock } from '../../../system/file-lock.ts'
import { isGone, thisProcess } from '../../../system/process-identity.ts'
import { isAbort } from '../../../system/signals.ts'
import { reasonOf } from '../../../system/system-errors.ts'
import type { Context } from '../../context/context.ts'
import { CliError } from '../../failures/cli-error.ts'

/** What this machine remembers of the uploads of accounts: the record, and the journal that leads to it. */
export function openMemory({ io, clock, interruption }: Pick<Context, 'io' | 'clock' | 'interruption'>) {
  const path = usualJournal(io.env)
  const journal = openJournalFile(path, { makeFolder: true })
  const record = openRecordFile(recordOf(path))

  function has(names: readonly string[]): boolean {
    const recent = foldOf(parseLines(journal.lines())).accounts()
    if (names.length === 0) return recent.length > 0 || record.addresses().length > 0
    return names.some((name) => recent.some(({ key_hash }) => key_hash === name) || record.all(name).length > 0)
  }

  async function forget(account: string): Promise<readonly RunFact[]> {
    const me = thisProcess()
    let atWork: readonly RunFact[] | undefined
    const leave = () => {
      atWork = leaveAccount(journal, record, account, (run, lastAt) => !isGone(run, clock.now() - lastAt, me))
      return atWork !== undefined
    }
    await waitingForLock(leave, clock, interruption.stopping)
    if (atWork === undefined) throw new Error('another process rewrites it')
    return atWork
  }

  const paths = `${path} and ${recordOf(path)}*`
  return {
    /**
     * Whether the account of these names has uploads here; without a name, whether any account has.
     * @throws CliError of code `state-unwritable` where that cannot be read
     */
    has: (names: readonly string[]) => orTold(paths, async () => has(names)),
    /**
     * Forgets the uploads of the account of these names; what runs at work have of it once they are over.
     * @returns those runs
     * @throws CliError of code `state-unwritable` where they are still remembered
     */
    forget: (names: readonly string[]) =>
      orTold(paths, async () => {
        const atWork: RunFact[] = []
        for (const name of names) atWork.push(...(await forget(name)))
        return [...new Map(atWork.map((one) => [one.run, one])).values()]
      }),
    /** What to delete by hand to forget all accounts. */
    paths,
  }
}

export type Memory = ReturnType<typeof openMemory>

async function orTold<T>(paths: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isAbort(error)) throw error
    throw new CliError('state-unwritable', `The record of uploads was not forgotten: ${reasonOf(error)}`, {
      hint: `Run it again with the key in FH_API_KEY, or look at ${paths}`,
      cause: error,
    })
  }
}

import { type HeldLock, lockHolder, takeLock } from '../../../system/file-lock.ts'
import { processState } from '../../../system/process-identity.ts'
import type { Note } from '../../output/notes.ts'
import type { Context } from '../../run/context.ts'
import { orUnwritable } from './part-file.ts'

const [LOOK_AGAIN_MS, WORTH_SAYING_MS] = [100, 1_000]

/**
 * Takes a part file for this download alone. Waits as long as another run downloads to it, and says so once that has taken
 * long.
 *
 * @param ownPath the path whose part it is, see `openPartFile`
 * @throws CliError of code `file-unwritable`
 */
export async function lockPart(
  ownPath: string,
  { clock, reporter, interruption }: Pick<Context, 'clock' | 'reporter' | 'interruption'>,
): Promise<Disposable> {
  const path = `${ownPath}.part.lock`
  for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
    const lock = await orUnwritable(path, tryLock(path))
    if (lock) return { [Symbol.dispose]: () => lock.release() }
    if (waitedMs === WORTH_SAYING_MS) reporter.report({ type: 'note', note: waitNote(ownPath, path, clock.now()) })
    await clock.sleep(LOOK_AGAIN_MS, interruption.stopping)
  }
}

async function tryLock(path: string): Promise<HeldLock | undefined> {
  return takeLock(path)
}

function waitNote(path: string, lock: string, now: number): Note {
  const { owner, since = now } = lockHolder(lock) ?? {}
  const state = owner && owner.pid !== process.pid ? processState(owner.pid) : undefined
  if (owner === undefined || state?.type !== 'running') return { type: 'waits-for-download', path }
  const isStopped = state.isStopped === true
  return { type: 'waits-for-process', path, work: 'downloads', process: { pid: owner.pid, since, isStopped }, now }
}

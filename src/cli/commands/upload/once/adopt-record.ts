import { waitingForLock } from '../../../../system/file-lock.ts'
import { CliError } from '../../../failures/cli-error.ts'
import type { AccountTools } from './known-content.ts'

/**
 * A regenerated key belongs to the same account: takes over the uploads of another key of the same address, if the newest
 * page of the list shows one of them. Costs a unit, and only where this key has no uploads yet.
 *
 * @throws FileHostError if the list cannot be read
 * @throws CliError of code `state-unwritable` if another process does not stop rewriting the journal: without the uploads
 * of the other key all would be uploaded again
 */
export async function adoptRecord({ journal, client, context }: AccountTools): Promise<void> {
  if (journal.otherKeys().length === 0) return
  const { clock, interruption } = context
  const { data } = await client.list({ signal: interruption.stopping })
  const adopt = () => {
    // Another run may have taken them over meanwhile.
    const other = journal.otherKeys().find(({ slugs }) => data.some(({ slug }) => slugs.has(slug)))
    return other === undefined || journal.adopt(other)
  }
  if (!(await waitingForLock(adopt, clock, interruption.stopping))) throw stillLocked()
}

function stillLocked(): CliError {
  return new CliError(
    'state-unwritable',
    'The uploads of the former key cannot be taken over: another process rewrites the journal',
    { hint: 'Run the same command again; --force uploads all files anyway' },
  )
}

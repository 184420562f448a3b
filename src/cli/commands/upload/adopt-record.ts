import type { Client } from '../../../index.ts'
import type { Journal } from '../../journal/journal.ts'

/**
 * A regenerated key belongs to the same account: takes over the uploads of another key of the same address, if the newest
 * page of the list shows one of them. Costs a unit, and only where this key has no uploads yet.
 *
 * @throws FileHostError if the list cannot be read
 */
export async function adoptRecord(journal: Journal, client: Pick<Client, 'list'>, signal: AbortSignal): Promise<void> {
  const others = journal.otherKeys()
  if (others.length === 0) return
  const { data } = await client.list({ signal })
  const other = others.find(({ slugs }) => data.some(({ slug }) => slugs.has(slug)))
  if (other) journal.adopt(other)
}

import type { UploadRecord } from '../storage/record-types.ts'
import { UnwrittenError } from '../storage/turn.ts'
import type { ServiceParts } from './service-parts.ts'

/** How many files the feed has. */
export const feedSize = 50

/** Everyone's latest files. */
export function createFeed({
  records: { accounts, uploads },
  settings,
  clock,
}: Pick<ServiceParts, 'records' | 'settings' | 'clock'>) {
  return {
    /** The visible ones, newest first. */
    latest(): readonly UploadRecord[] {
      const { visible_after_ms } = settings.current
      // A clock that was set back leaves uploads in its future: they are visible, as in the account's own list.
      const until = visible_after_ms === 0 ? Number.MAX_SAFE_INTEGER : clock.now() - visible_after_ms
      return uploads.latest({ until, limit: feedSize })
    },
    /** Counts one feed view for each file that was shown to a visitor (spec 2.3). */
    countViews(shown: readonly UploadRecord[]) {
      const views = new Map<number, number>()
      for (const { accountId } of shown) views.set(accountId, (views.get(accountId) ?? 0) + 1)
      try {
        for (const [accountId, count] of views) {
          const account = accounts.get(accountId)
          const feedViews = Math.min((account?.feedViews ?? 0) + count, Number.MAX_SAFE_INTEGER)
          accounts.update(accountId, { feedViews })
        }
      } catch (error) {
        // On a full disk the feed is shown without counting its views.
        if (!(error instanceof UnwrittenError)) throw error
      }
    },
  }
}

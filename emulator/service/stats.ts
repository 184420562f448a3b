import type { Stats } from '../../src/protocol/resources.ts'
import type { AccountRecord, RecordStore } from '../storage/record-store.ts'

/** An account's statistics; the request that asks is logged afterwards and so does not count itself (spec 2.3). */
export function statsOf(account: AccountRecord, { uploads, requests }: RecordStore): Stats {
  const totals = uploads.totals(account.id)
  return {
    uploads: totals.uploads,
    albums: account.albums,
    total_views: account.feedViews + totals.views,
    api_requests: requests.count(account.id),
  }
}

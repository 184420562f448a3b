import type { Stats } from '../../src/protocol/resources.ts'
import type { AccountRecord, RecordStore, UploadTotals } from '../storage/record-store.ts'

/** An account's statistics. The request that asks is logged afterwards, so it does not count (spec 2.3). */
export function statsOf(account: AccountRecord, { uploads, requests }: RecordStore): Stats {
  const totals = uploads.totals(account.id)
  return {
    uploads: totals.uploads,
    albums: account.albums,
    total_views: account.feedViews + totals.views,
    api_requests: requests.count(account.id),
  }
}

/** The totals of all accounts. */
export function totalsOfAll({ accounts, uploads }: RecordStore): UploadTotals {
  const sum = { uploads: 0, views: 0, bytes: 0 }
  for (const { id } of accounts.all()) {
    const totals = uploads.totals(id)
    sum.uploads += totals.uploads
    sum.views += totals.views
    sum.bytes += totals.bytes
  }
  return sum
}

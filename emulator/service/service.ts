import type { Stats } from '../../src/protocol/resources.ts'
import type { AccountRecord, UploadTotals } from '../storage/record-types.ts'
import type { RecordStore } from '../storage/records.ts'
import { createAccounts } from './accounts.ts'
import { createPublicUploads } from './public-uploads.ts'
import { createQuotaKeeper } from './quota/quota-keeper.ts'
import type { ServiceParts } from './service-parts.ts'
import { createFirstSignIn } from './sign-in/first-sign-in.ts'
import { createKeyPage } from './sign-in/key-page.ts'
import { createSessions } from './sign-in/sessions.ts'
import { createSigningIn } from './sign-in/signing-in.ts'
import { createThumbnails } from './thumbnails.ts'
import { createUploadEdits } from './upload-edits.ts'
import { createUploads } from './uploads.ts'
import { type LoggedCall, type Usage, type UsageQuestion, usageOf } from './usage/usage.ts'

export function createService(parts: ServiceParts) {
  const thumbnails = createThumbnails(parts)
  const passwords = createSigningIn(parts)
  const { signIn } = passwords
  const sessions = createSessions(parts.records, parts.clock, (idHash) => keyPage.forget(idHash))
  const accounts = createAccounts({ ...parts, thumbnails, sessions })
  const keyPage = createKeyPage(parts, { accounts, sessions, signIn })
  const firstSignIn = createFirstSignIn(parts.records.accounts)
  return {
    accounts,
    quota: createQuotaKeeper(parts),
    uploads: createUploads({ ...parts, thumbnails }),
    uploadEdits: createUploadEdits(parts.records),
    thumbnails,
    publicUploads: createPublicUploads(parts),
    requests: parts.records.requests,
    sessions,
    /** Of the tokens in forms for visitors without a session; `randomSeed` fixes it. */
    formSecret: parts.inventions.formSecret(),
    signIn,
    keyPage,
    firstSignIn,
    stats: (account: AccountRecord): Stats => statsOf(account, parts.records),
    /** An account's requests by time and endpoint: reads the log, so call it for a page, not for each request. */
    usage(accountId: number, question: Omit<UsageQuestion, 'dropped'>): Usage {
      const { requests } = parts.records
      const calls = requests.rows('at, method, endpoint, status', { where: 'accountId = ?', values: [accountId] })
      return usageOf(calls as unknown as readonly LoggedCall[], {
        ...question,
        dropped: requests.logged(accountId) - calls.length,
      })
    },
    /** Over all accounts. */
    totals: (): UploadTotals => totalsOfAll(parts.records),
    /** Call at the start and when the records were replaced: continues the work that they say is pending. */
    resume() {
      firstSignIn.resume()
      passwords.resume()
      keyPage.forgetAll()
      thumbnails.resume()
    },
    /** Ends the work that no request waits for. */
    close: () => thumbnails.close(),
  }
}

/** The service's rules, independent of HTTP. */
export type Service = ReturnType<typeof createService>

/** An account's statistics. The request that asks is logged afterwards, so it does not count (spec 2.3). */
function statsOf(account: AccountRecord, { uploads, requests }: RecordStore): Stats {
  const totals = uploads.totals(account.id)
  return {
    uploads: totals.uploads,
    albums: account.albums,
    total_views: account.feedViews + totals.views,
    api_requests: requests.logged(account.id),
  }
}

/** The totals of all accounts. */
function totalsOfAll({ accounts, uploads }: RecordStore): UploadTotals {
  const sum = { uploads: 0, views: 0, bytes: 0 }
  for (const { id } of accounts.all()) {
    const totals = uploads.totals(id)
    sum.uploads += totals.uploads
    sum.views += totals.views
    sum.bytes += totals.bytes
  }
  return sum
}

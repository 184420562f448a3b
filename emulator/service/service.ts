import type { Stats } from '../../src/protocol/resources.ts'
import type { AccountRecord, UploadTotals } from '../storage/record-types.ts'
import type { RecordStore } from '../storage/records.ts'
import { Accounts } from './accounts.ts'
import { createPublicUploads } from './public-uploads.ts'
import { createQuotaKeeper } from './quota/quota.ts'
import type { ServiceParts } from './service-parts.ts'
import { createFirstSignIn } from './sign-in/first-sign-in.ts'
import { createKeyPage } from './sign-in/key-page.ts'
import { createSessions } from './sign-in/sessions.ts'
import { createSigningIn } from './sign-in/signing-in.ts'
import { Thumbnails } from './thumbnails.ts'
import { Uploads } from './uploads.ts'
import { type LoggedCall, type Usage, type UsageQuestion, usageOf } from './usage.ts'

export function createService(parts: ServiceParts) {
  const thumbnails = new Thumbnails(parts)
  const passwords = createSigningIn(parts)
  const { signIn } = passwords
  const sessions = createSessions(parts.records, parts.clock)
  const accounts = new Accounts({ ...parts, thumbnails, sessions })
  const keyPage = createKeyPage(parts, { accounts, signIn })
  const firstSignIn = createFirstSignIn(parts.records.accounts)
  return {
    accounts,
    quota: createQuotaKeeper(parts),
    uploads: new Uploads({ ...parts, thumbnails }),
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
    totals: (): UploadTotals => parts.records.uploads.totals(),
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

import type { Stats } from '../../src/protocol/resources.ts'
import { nextTurn } from '../clock/next-turn.ts'
import type { LoggedCall, RecordStore } from '../storage/record-store.ts'
import type { AccountRecord, UploadTotals } from '../storage/records.ts'
import { type Accounts, createAccounts } from './accounts.ts'
import { type Albums, createAlbums } from './albums.ts'
import { createFeed, type Feed } from './feed.ts'
import { createPublicUploads, type PublicUploads } from './public-uploads.ts'
import { createQuotaKeeper, type QuotaKeeper } from './quota/quota-keeper.ts'
import { createRequestFeed, type RequestFeed } from './request-feed.ts'
import type { ServiceParts } from './service-parts.ts'
import type { DeriveHash } from './sign-in/derive-hash.ts'
import { createFirstSignIn, type FirstSignIn } from './sign-in/first-sign-in.ts'
import type { KeyPage } from './sign-in/key-page.ts'
import type { Sessions } from './sign-in/sessions.ts'
import type { SignIn } from './sign-in/sign-in.ts'
import { createSigningIn } from './sign-in/signing-in.ts'
import { createThumbnails, type Thumbnails } from './thumbnails.ts'
import { createUploadEdits, type UploadEdits } from './upload-edits.ts'
import { createUploads, type Uploads } from './uploads.ts'
import { type Usage, type UsageQuestion, usageOf } from './usage/usage.ts'

/** The service's rules, independent of HTTP. */
export interface Service {
  readonly accounts: Accounts
  readonly quota: QuotaKeeper
  readonly albums: Albums
  readonly feed: Feed
  readonly uploads: Uploads
  readonly uploadEdits: UploadEdits
  readonly thumbnails: Thumbnails
  readonly publicUploads: PublicUploads
  readonly requests: RequestFeed
  readonly sessions: Sessions
  /** Of the tokens in forms for visitors without a session; `randomSeed` fixes it. */
  readonly formSecret: string
  readonly signIn: SignIn
  readonly keyPage: KeyPage
  readonly firstSignIn: FirstSignIn
  stats(account: AccountRecord): Stats
  /** An account's requests by time and endpoint: reads the log, so call it for a page, not for each request. */
  usage(accountId: number, question: Omit<UsageQuestion, 'dropped'>): Promise<Usage>
  /** Over all accounts. */
  totals(): UploadTotals
  /** Call at the start and when the records were replaced: continues the work that they say is pending. */
  resume(): void
  /** Ends the work that no request waits for, and refuses passwords that wait for their check. */
  close(): Promise<void>
}

/** @param derive for tests, a quicker derivation of passwords */
export function createService(parts: ServiceParts, derive?: DeriveHash): Service {
  const thumbnails = createThumbnails(parts)
  const signingIn = createSigningIn(parts, derive)
  const { sessions, signIn, chosenPasswords } = signingIn
  const accounts = createAccounts({ ...parts, thumbnails, sessions, chosenPasswords })
  const firstSignIn = createFirstSignIn(parts.records.accounts)
  return {
    accounts,
    quota: createQuotaKeeper(parts),
    albums: createAlbums(parts.records),
    feed: createFeed(parts),
    uploads: createUploads({ ...parts, thumbnails }),
    uploadEdits: createUploadEdits(parts.records),
    thumbnails,
    publicUploads: createPublicUploads(parts),
    requests: createRequestFeed(parts.records.requests),
    sessions,
    formSecret: parts.inventions.formSecret(),
    signIn,
    keyPage: signingIn.keyPage(accounts),
    firstSignIn,
    stats: (account) => statsOf(account, parts.records),
    async usage(accountId, question) {
      const { requests } = parts.records
      const pieces: (readonly LoggedCall[])[] = []
      for (const piece of requests.ofAccount(accountId)) {
        pieces.push(piece)
        await nextTurn()
      }
      const calls = pieces.flat()
      return usageOf(calls, { ...question, dropped: requests.count(accountId) - calls.length })
    },
    totals: () => totalsOfAll(parts.records),
    resume() {
      firstSignIn.resume()
      signingIn.resume()
      thumbnails.resume()
    },
    close() {
      signingIn.close()
      return thumbnails.close()
    },
  }
}

/** An account's statistics. The request that asks is logged afterwards, so it does not count (spec 2.3). */
function statsOf(account: AccountRecord, { uploads, albums, requests }: RecordStore): Stats {
  const totals = uploads.totals(account.id)
  return {
    uploads: totals.uploads,
    albums: albums.count(account.id),
    total_views: account.feedViews + totals.views,
    api_requests: requests.count(account.id),
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

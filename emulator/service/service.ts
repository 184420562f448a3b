import type { Stats } from '../../src/protocol/resources.ts'
import type { EmulatorClock } from '../clock.ts'
import type { SettingsStore } from '../settings.ts'
import type { BlobStore } from '../storage/blob-store.ts'
import type { AccountRecord, RecordStore, RequestLog } from '../storage/record-store.ts'
import { type Accounts, createAccounts } from './accounts.ts'
import { createQuotaKeeper, type QuotaKeeper } from './quota-keeper.ts'
import { statsOf } from './stats.ts'
import { createUploads, type Uploads } from './uploads.ts'

/** What the service runs on. */
export interface ServiceParts {
  readonly records: RecordStore
  readonly blobs: BlobStore
  readonly settings: SettingsStore
  readonly clock: EmulatorClock
}

/** The rules of the service, without a wire. */
export interface Service {
  readonly accounts: Accounts
  readonly quota: QuotaKeeper
  readonly uploads: Uploads
  readonly requests: RequestLog
  stats(account: AccountRecord): Stats
}

export function createService(parts: ServiceParts): Service {
  return {
    accounts: createAccounts(parts),
    quota: createQuotaKeeper(parts),
    uploads: createUploads(parts),
    requests: parts.records.requests,
    stats: (account) => statsOf(account, parts.records),
  }
}

/** Names that the command line shares with the library. They may change with any release; index.ts has the public ones. */
export { isLoopback, parseBaseUrl } from './client/base-url.ts'
export { type CreatedAtForm, createdAtForm, creationSpan } from './client/exactly-once/created-at.ts'
export { createLookalikes, type Lookalikes, type SentFile } from './client/exactly-once/lookalikes.ts'
export { essence } from './client/exactly-once/match-uploads.ts'
export { createPageWatch } from './client/page-watch.ts'
export { prepareSource } from './client/sources/upload-source.ts'
export { proxyFromEnvironment } from './client/transports/proxy.ts'
export { parseRateReport, type ResetUnit, resetUnit } from './pacing/rate-headers.ts'
export {
  forgetSharedQuota,
  type QuotaHold,
  type QuotaReading,
  readSharedQuota,
} from './pacing/shared-ledger/shared-ledger.ts'
export { type PlanPart, planUploads } from './pacing/upload-forecast.ts'

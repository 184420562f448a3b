/**
 * What the command line takes from the library and no customer is promised: these names may change with any release.
 * The names that are promised stand in index.ts.
 */
export { isLoopback, parseBaseUrl } from './client/base-url.ts'
export { createPageWatch } from './client/page-watch.ts'
export { prepareSource } from './client/sources/upload-source.ts'
export { parseProxy, proxyFromEnvironment } from './client/transports/proxy.ts'
export { planUploads } from './pacing/forecast/plan.ts'
export type { PlanPart } from './pacing/forecast/upload-simulation.ts'
export {
  forgetSharedQuota,
  type QuotaHold,
  type QuotaReading,
  readSharedQuota,
} from './pacing/shared-ledger/shared-ledger.ts'
export { isKey } from './protocol/endpoints.ts'
export { readByteSize, readDuration } from './protocol/quantities.ts'
export { unlimited } from './protocol/rate-limits.ts'

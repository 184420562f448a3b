/** Names that the command line shares with the library. They may change with any release; index.ts has the public ones. */
export { hostOf, isLoopback, parseBaseUrl, withoutTrailingSlashes } from './client/base-url.ts'
export { connectionError, likelyUploads } from './client/call-errors.ts'
export { clientOver, provingClient } from './client/client.ts'
export { download, fileAddress } from './client/download/download.ts'
export { type DownloadTarget, downloadToPath, downloadToStream, isThere } from './client/download/download-target.ts'
export {
  assertPage,
  eachPage,
  IncompleteListError,
  ShiftingListError,
  WrongPagesError,
} from './client/each-page.ts'
export { NoProofError } from './client/errors.ts'
export { creationSpan, parseCreatedAt } from './client/exactly-once/candidates.ts'
export {
  ByteComparison,
  candidatesOf,
  decideByBytes,
  fingerprintOfFile,
  type SentFile,
  type SiteAccess,
} from './client/exactly-once/compare-bytes.ts'
export { toSourceError } from './client/sources/file-source.ts'
export { nameInUrl, RemoteFile } from './client/sources/remote-file.ts'
export { createBandwidth } from './client/sources/upload-body.ts'
export { prepareSource } from './client/sources/upload-source.ts'
export { nodeTransportThrough } from './client/transports/node-transport.ts'
export { type NamedProxy, proxyFromEnvironment, ThroughProxyError } from './client/transports/proxy.ts'
export { openingError, refusedAddress } from './client/transports/transport.ts'
export type { ForecastOptions, ForecastPart, UploadForecast } from './pacing/forecast.ts'
export { forecastUploads, isPaced } from './pacing/forecast.ts'
export type { LedgerAccount } from './pacing/ledger.ts'
export type { RateReport } from './pacing/rate-headers.ts'
export type { QuotaRow } from './pacing/shared/quota-row.ts'
export {
  forgetSharedQuota,
  type LedgerProblem,
  type QuotaReading,
  readQuota,
  readSharedRows,
  stateOf,
} from './pacing/shared/shared-ledger.ts'
export { acceptedMediaType, essence } from './protocol/media-types.ts'

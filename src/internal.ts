/** Names that the command line shares with the library. They may change with any release; index.ts has the public ones. */
export { nearestWord } from './checks/nearest-word.ts'
export { connectionError } from './client/attempt-errors.ts'
export { hostOf, isLoopback, parseBaseUrl, withoutTrailingSlashes } from './client/base-url.ts'
export { type DownloadTarget, download, fileAddress } from './client/calls/download.ts'
export { clientOver, provingClient } from './client/client.ts'
export { downloadToPath, isThere } from './client/download/path-download.ts'
export { downloadToStream } from './client/download/stream-download.ts'
export {
  assertPage,
  createPageWatch,
  eachPage,
  IncompleteListError,
  ShiftingListError,
  WrongPagesError,
} from './client/each-page.ts'
export { NoProofError } from './client/errors.ts'
export { createdAtForm, creationSpan, parseCreatedAt } from './client/exactly-once/created-at.ts'
export { printOfFile } from './client/exactly-once/file-print.ts'
export {
  candidatesOf,
  createLookalikes,
  type LookalikeOptions,
  type Lookalikes,
  type SentFile,
} from './client/exactly-once/lookalikes.ts'
export { likelyUploads } from './client/exactly-once/unknown-outcome.ts'
export { keyHint } from './client/response.ts'
export { createBandwidth } from './client/sources/bandwidth.ts'
export { toSourceError } from './client/sources/file-source.ts'
export { nameInUrl, RemoteFile, type RemoteFileOptions } from './client/sources/remote-file.ts'
export { prepareSource } from './client/sources/upload-source.ts'
export { NodeTransport } from './client/transports/node-transport.ts'
export { type NamedProxy, proxyFromEnvironment, ThroughProxyError } from './client/transports/proxy.ts'
export {
  isNotTls,
  openingError,
  refusedAddress,
  TlsPortError,
} from './client/transports/transport-failure.ts'
export type { LedgerAccount } from './pacing/ledger.ts'
export type { PacingWait } from './pacing/pacer.ts'
export { type PlanOptions, planUploads } from './pacing/plan-uploads.ts'
export { type QuotaReading, readQuota } from './pacing/quota-reading.ts'
export { parseRateReport, type RateReport, resetUnit } from './pacing/rate-headers.ts'
export type { QuotaRow } from './pacing/shared/quota-row.ts'
export { forgetSharedQuota, type LedgerProblem, readSharedQuota, stateOf } from './pacing/shared/shared-ledger.ts'
export type { PlanPart, UploadForecast } from './pacing/upload-forecast.ts'
export { acceptedMediaType, essence } from './protocol/media-types.ts'

export { createClient } from './client/create-client.ts'
export {
  AccessDeniedError,
  AuthenticationError,
  ConnectionError,
  DownloadError,
  FileHostError,
  type FileHostErrorCode,
  NotFoundError,
  OverLimitError,
  RateLimitError,
  type RequestInfo,
  SourceError,
  type SourceProblem,
  TimeoutError,
  UnavailableError,
  UnexpectedResponseError,
  UnknownOutcomeError,
  ValidationError,
} from './client/errors.ts'
export type { Reconciliation, UploadIntent } from './client/exactly-once/candidates.ts'
export type { ClientEvent } from './client/exchange.ts'
export type {
  CallOptions,
  Client,
  ClientOptions,
  DownloadDestination,
  DownloadOptions,
  ListOptions,
  PacingOptions,
  Progress,
  RawResponse,
  ReconcileOptions,
  RequestOptions,
  RetryOptions,
  UploadOptions,
  UploadState,
} from './client/options.ts'
export type { StreamSource } from './client/sources/local-source.ts'
export type { UploadSource } from './client/sources/upload-source.ts'
export { type FetchLike, fetchTransport } from './client/transports/fetch-transport.ts'
export { type NodeTransportOptions, nodeTransport } from './client/transports/node-transport.ts'
export {
  type RequestBody,
  type Transport,
  TransportError,
  type TransportFailure,
  type TransportRequest,
  type TransportResponse,
} from './client/transports/transport.ts'
export { type UndiciTransportOptions, undiciTransport } from './client/transports/undici-transport.ts'
export { type Clock, systemClock } from './clock.ts'
export type { Quota, QuotaWindow } from './pacing/pacer.ts'
export { createSharedLedger, type SharedLedgerOptions } from './pacing/shared/shared-ledger.ts'
export { endpoints } from './protocol/endpoints.ts'
export { defaultMaxFileSizeBytes } from './protocol/media-types.ts'
export { defaultLimits, type QuotaLimits, type WindowName } from './protocol/rate-limits.ts'
export type { PageLink, Stats, Upload, UploadPage } from './protocol/resources.ts'

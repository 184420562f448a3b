export { parseBaseUrl } from './client/base-url.ts'
export { createClient } from './client/client.ts'
export {
  AccessDeniedError,
  AuthenticationError,
  ConnectionError,
  FileHostError,
  NotFoundError,
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
export type { ClientEvent } from './client/events.ts'
export { type FetchLike, fetchTransport } from './client/fetch-transport.ts'
export { type NodeTransportOptions, nodeTransport } from './client/node-transport.ts'
export type {
  CallOptions,
  Client,
  ClientOptions,
  Progress,
  RawResponse,
  RequestOptions,
  RetryOptions,
  UploadOptions,
} from './client/options.ts'
export { parseProxy } from './client/proxy.ts'
export {
  type RequestBody,
  type Transport,
  TransportError,
  type TransportFailure,
  type TransportRequest,
  type TransportResponse,
} from './client/transport.ts'
export { type UndiciTransportOptions, undiciTransport } from './client/undici-transport.ts'
export type { StreamSource, UploadSource } from './client/upload-source.ts'
export { type Clock, systemClock } from './clock.ts'
export type {
  Pacer,
  PacingOutcome,
  PacingRequest,
  PacingTicket,
  PacingWait,
  Quota,
  QuotaWindow,
} from './pacing/pacer.ts'
export type { RateReport } from './pacing/rate-report.ts'
export type { PageLink, Stats, Upload, UploadPage } from './protocol/resources.ts'

import { BrowserError } from './checks/coded-error.ts'
import type { Clock } from './clock.ts'

export {
  AccessDeniedError,
  AuthenticationError,
  ConnectionError,
  DownloadError,
  FileHostError,
  NotFoundError,
  OverLimitError,
  RateLimitError,
  SourceError,
  TimeoutError,
  UnavailableError,
  UnexpectedResponseError,
  UnknownOutcomeError,
  ValidationError,
} from './client/errors.ts'
export { TransportError } from './client/transports/transport.ts'
export { endpoints } from './protocol/endpoints.ts'
export { defaultMaxFileSizeBytes } from './protocol/media-types.ts'
export { defaultLimits } from './protocol/rate-limits.ts'
export {
  refuse as createClient,
  refuse as createSharedLedger,
  refuse as fetchTransport,
  refuse as nodeTransport,
  refuse as undiciTransport,
}

export const systemClock: Clock = { now: refuse, sleep: refuse, monotonic: refuse }

function refuse(): never {
  throw new BrowserError(
    'filehost does not run in browsers: a page would give its API key to everybody who opens it. This is what bundlers and test environments load for a browser',
    'Call filehost in your server and give the page its results. In Jest with jsdom, name the build for Node: testEnvironmentOptions: { customExportConditions: ["node", "node-addons"] }',
  )
}

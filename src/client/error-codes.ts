import { argumentErrorCodes } from '../checks/coded-error.ts'

/** What was wrong with a file or a stream. */
export type SourceProblem = (typeof sourceProblems)[number]

const sourceProblems = [
  'missing',
  'unreadable',
  'directory',
  'empty',
  'changed',
  'unsupported-type',
  'too-large',
  'spent',
] as const

/** Why a file could not be downloaded. */
export type DownloadCode = (typeof downloadCodes)[number]

const downloadCodes = ['file-exists', 'file-unwritable', 'stream-failed', 'size-mismatch', 'no-file-address'] as const

/**
 * How an exchange failed. `unreachable`: no connection was made. `untrusted`: the other side's certificate is not
 * trusted. `wrong-scheme`: https to a port without TLS. `timeout`: no byte moved for too long. `interrupted`: the connection
 * broke. In the first three cases the service has received nothing of the request.
 */
export type TransportFailure = (typeof transportFailures)[number]

const transportFailures = ['unreachable', 'untrusted', 'wrong-scheme', 'timeout', 'interrupted'] as const

/** The codes of failed calls. */
export type CallErrorCode = (typeof callErrorCodes)[number]

const callErrorCodes = [
  'authentication-failed',
  'access-denied',
  'not-found',
  'validation-failed',
  'rate-limited',
  'over-limit',
  'unavailable',
  'unexpected-response',
  'connection-failed',
  'timeout',
  ...sourceProblems.map((problem) => `source-${problem}` as const),
  ...downloadCodes,
  'outcome-unknown',
  'client-closed',
] as const

/**
 * Every `code` of an error of this library; a new release may add to them. Those of a transport's errors begin with
 * `transport-`; `invalid-value` and `unknown-option` are those of the `TypeError` and the `RangeError` of a wrong argument;
 * `not-for-browsers` is that of every call where a bundler built for a browser.
 */
export type FileHostErrorCode = (typeof fileHostErrorCodes)[number]

export const fileHostErrorCodes = [
  ...callErrorCodes,
  ...transportFailures.map((failure) => `transport-${failure}` as const),
  ...argumentErrorCodes,
  'not-for-browsers',
] as const

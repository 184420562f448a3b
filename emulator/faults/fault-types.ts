import type { FaultStage, FaultType } from './fault.ts'

/** What a type of fault does, and what comes of it. */
export interface FaultTypeInfo {
  readonly stage: FaultStage
  /** Names of its parameters, those it cannot do without first. */
  readonly required: readonly string[]
  readonly optional: readonly string[]
  /** Whether the service does what it was asked, and charges it, before the client sees the fault. */
  readonly served: boolean
  /** What the client sees on a connection. */
  readonly over_socket: string
  /** What a caller of `fetch` in the same process sees, or of MSW. */
  readonly in_process: string
}

const answerParameters = ['body', 'headers']
const resetInProcess = 'fetch rejects with a TypeError whose cause has the code ECONNRESET'
const cutInProcess = 'the answer’s body ends in a TypeError'
const same = 'the same'

/** Every type of fault. A `stage` says where it stands: docs/control-api.md. */
export const faultTypes: Readonly<Record<FaultType, FaultTypeInfo>> = {
  status: {
    stage: 'gate',
    required: ['status'],
    optional: answerParameters,
    served: false,
    over_socket: 'this status once the request’s body has arrived, which is thrown away',
    in_process: same,
  },
  delay: {
    stage: 'gate',
    required: ['ms'],
    optional: [],
    served: true,
    over_socket: 'the usual answer, later; who gives up waiting was not served',
    in_process: same,
  },
  reset_before: {
    stage: 'arrival',
    required: [],
    optional: [],
    served: false,
    over_socket: 'a reset (RST) in place of an answer, before the body is read; under TLS an end without a farewell',
    in_process: resetInProcess,
  },
  reset_after_body_bytes: {
    stage: 'gate',
    required: ['bytes'],
    optional: [],
    served: false,
    over_socket: 'a reset once so much of the request’s body has arrived, or all of a shorter one',
    in_process: resetInProcess,
  },
  commit_then_drop: {
    stage: 'answer',
    required: [],
    optional: [],
    served: true,
    over_socket: 'a reset in place of the answer, though everything was done',
    in_process: resetInProcess,
  },
  truncate_response: {
    stage: 'answer',
    required: [],
    optional: ['bytes'],
    served: true,
    over_socket: 'the head and part of the body it declares, then the end of the connection',
    in_process: cutInProcess,
  },
  malformed_json: {
    stage: 'answer',
    required: [],
    optional: [],
    served: true,
    over_socket: 'the answer without the last character of its JSON',
    in_process: same,
  },
  wrong_content_length: {
    stage: 'answer',
    required: [],
    optional: ['bytes'],
    served: true,
    over_socket:
      'the whole body under a wrong length: where more is declared the connection ends, where less, rubbish follows',
    in_process: 'where more is declared, the answer’s body ends in a TypeError; where less, the rest is not there',
  },
  html_error: {
    stage: 'gate',
    required: [],
    optional: ['status'],
    served: false,
    over_socket: 'a web server’s page in place of JSON, once the request’s body has arrived',
    in_process: same,
  },
  slow_body: {
    stage: 'answer',
    required: ['ms'],
    optional: ['bytes'],
    served: true,
    over_socket: 'the answer’s body a few bytes at a time',
    in_process: same,
  },
  early_response: {
    stage: 'gate',
    required: [],
    optional: ['bytes', 'status', ...answerParameters],
    served: false,
    over_socket: 'this status, 503 unless given, while the request’s body is still being sent; the rest is thrown away',
    in_process: 'this status; the rest of the request’s body is not read',
  },
}

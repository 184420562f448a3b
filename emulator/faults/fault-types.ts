import type { FaultStage, FaultType } from './fault.ts'

/** One fault type: its parameters and what the client sees. */
export interface FaultTypeInfo {
  readonly stage: FaultStage
  /** Names of its parameters. */
  readonly required: readonly string[]
  readonly optional: readonly string[]
  /** Whether the service executes and charges the request before the client sees the fault. */
  readonly served: boolean
  /** What a client sees over a connection. */
  readonly over_socket: string
  /** What a caller of `fetch` in the same process, or of MSW, sees. */
  readonly in_process: string
}

const answerParameters = ['body', 'headers']
const resetInProcess = 'fetch rejects with a TypeError whose cause has the code ECONNRESET'
const cutInProcess = 'the answer’s body ends in a TypeError'
const same = 'the same'

/** Every fault type; docs/control-api.md explains the stages. */
export const faultTypes: Readonly<Record<FaultType, FaultTypeInfo>> = {
  status: {
    stage: 'gate',
    required: ['status'],
    optional: answerParameters,
    served: false,
    over_socket: 'this status after the request’s body has arrived and been discarded',
    in_process: same,
  },
  delay: {
    stage: 'gate',
    required: ['ms'],
    optional: [],
    served: true,
    over_socket: 'the usual answer, later; a client that disconnects first is not served',
    in_process: same,
  },
  reset_before: {
    stage: 'arrival',
    required: [],
    optional: [],
    served: false,
    over_socket:
      'a reset (RST) instead of an answer, before the body is read; with TLS, the connection is closed without close_notify',
    in_process: resetInProcess,
  },
  reset_after_body_bytes: {
    stage: 'gate',
    required: ['bytes'],
    optional: [],
    served: false,
    over_socket: 'a reset after this much of the request’s body has arrived, or all of a shorter one',
    in_process: resetInProcess,
  },
  commit_then_drop: {
    stage: 'answer',
    required: [],
    optional: [],
    served: true,
    over_socket: 'a reset instead of the answer, although the request was executed',
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
      'the whole body with a wrong length: if too long, the connection ends early; if too short, extra bytes follow',
    in_process: 'if too long, the answer’s body ends in a TypeError; if too short, the rest is missing',
  },
  html_error: {
    stage: 'gate',
    required: [],
    optional: ['status'],
    served: false,
    over_socket: 'a web server’s page instead of JSON, after the request’s body has arrived',
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
    over_socket: 'this status, by default 503, while the request’s body is still being sent; the rest is discarded',
    in_process: 'this status; the rest of the request’s body is not read',
  },
}

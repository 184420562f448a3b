/** An injected failure: which requests it hits, how often, and what it does to them. */
export interface Fault {
  readonly match: FaultMatch
  /** How often it acts, from the `nth` matching request on; null means always. */
  readonly times: number | null
  readonly action: FaultAction
}

/** Which requests match; an omitted field matches all. */
export interface FaultMatch {
  readonly account_id?: number | undefined
  readonly method?: string | undefined
  /**
   * The path without its query; `*` matches any text, slashes included. One that begins with `/i/`, `/t/` or `/e/` names
   * pages and files of the website, where `account_id` is the owner's; every other path, and none, names API requests.
   */
  readonly path?: string | undefined
  /** The first matching request it hits, counted from 1; defaults to 1. */
  readonly nth?: number | undefined
}

/** Whether a fault's path names pages or files of the website: a star alone does not. */
export function namesSite(path: string | undefined): boolean {
  return path !== undefined && /^\/[ite]\//.test(path)
}

/** What a fault does. Durations are milliseconds on the emulator's clock. */
export type FaultAction =
  | ({ readonly type: 'status' } & AnswerInstead)
  | { readonly type: 'delay'; readonly ms: number }
  | { readonly type: 'reset_before' }
  | { readonly type: 'reset_after_body_bytes'; readonly bytes: number }
  | { readonly type: 'commit_then_drop' }
  /** `bytes`: how much of the body is sent; defaults to half. */
  | { readonly type: 'truncate_response'; readonly bytes?: number }
  | { readonly type: 'malformed_json' }
  /** `bytes`: the declared length minus the real one, not 0; defaults to 1. */
  | { readonly type: 'wrong_content_length'; readonly bytes?: number }
  /** `status`: defaults to 502. */
  | { readonly type: 'html_error'; readonly status?: number }
  /** `bytes`: the size of each piece, defaults to 1; `ms`: the pause between pieces. */
  | { readonly type: 'slow_body'; readonly ms: number; readonly bytes?: number }
  /** `bytes`: how much of the request body is read first; defaults to 0. */
  | ({ readonly type: 'early_response'; readonly bytes?: number } & Partial<AnswerInstead>)

/** A reply that replaces the service's. */
export interface AnswerInstead {
  readonly status: number
  /** Text is sent as it is, any other value as JSON; defaults to the service's own body for the status. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export type FaultType = FaultAction['type']

/**
 * When a fault acts. `arrival`: before anything is checked; `gate`: right before the quota check, so nothing is
 * charged; `answer`: selected at the gate, applied to the service's reply.
 */
export type FaultStage = 'arrival' | 'gate' | 'answer'

/** One fault type: its parameters and what the client sees. */
export interface FaultTypeInfo {
  readonly stage: FaultStage
  /** Names of its parameters. */
  readonly required: readonly string[]
  readonly optional: readonly string[]
  /** What each of its parameters is, by its name. */
  readonly parameters: Readonly<Record<string, string>>
  /** Whether the service executes and charges the request before the client sees the fault. */
  readonly served: boolean
  /** What a client sees over a connection. */
  readonly over_socket: string
  /** What a caller of `fetch` in the same process, or of MSW, sees. */
  readonly in_process: string
}

interface MoreAboutType extends Partial<Pick<FaultTypeInfo, 'served' | 'in_process'>> {
  /** By name: what it is. */
  readonly required?: Readonly<Record<string, string>>
  readonly optional?: Readonly<Record<string, string>>
}

function describe(
  stage: FaultStage,
  over_socket: string,
  { required = {}, optional = {}, served = stage === 'answer', in_process = 'the same' }: MoreAboutType = {},
): FaultTypeInfo {
  const parameters = { ...required, ...optional }
  const names = { required: Object.keys(required), optional: Object.keys(optional) }
  return { stage, ...names, parameters, served, over_socket, in_process }
}

const answerParameters = {
  body: 'JSON, or text sent unchanged (default: the service’s own)',
  headers: 'more headers, or others',
}
const resetInProcess = 'a TypeError, cause ECONNRESET'

/** Every fault type; docs/control-api.md explains the stages. */
export const faultTypes: Readonly<Record<FaultType, FaultTypeInfo>> = {
  status: describe('gate', 'this status, once the request’s body has arrived', {
    required: { status: '200 to 599' },
    optional: answerParameters,
  }),
  delay: describe('gate', 'the usual answer, later; a client that disconnects first is not served', {
    required: { ms: 'of the emulator’s time, at most a day' },
    served: true,
  }),
  reset_before: describe(
    'arrival',
    'a reset instead of an answer, before the body is read; with TLS, an end without close_notify',
    { in_process: resetInProcess },
  ),
  reset_after_body_bytes: describe('gate', 'a reset after this much of the request’s body, or all of a shorter one', {
    required: { bytes: 'how many arrive' },
    in_process: resetInProcess,
  }),
  commit_then_drop: describe('answer', 'a reset instead of the answer, although the request was executed', {
    in_process: resetInProcess,
  }),
  truncate_response: describe('answer', 'the head and part of the body, then the end of the connection', {
    optional: { bytes: 'how many are sent (default: half)' },
    in_process: 'the answer’s body ends in a TypeError',
  }),
  malformed_json: describe('answer', 'the answer without its last character'),
  wrong_content_length: describe(
    'answer',
    'a wrong length: too long, the connection ends early; too short, extra bytes follow',
    {
      optional: { bytes: 'declared beyond those sent (default: 1); may be negative' },
      in_process: 'too long: the body ends in a TypeError; too short: the rest is missing',
    },
  ),
  html_error: describe('gate', 'a web server’s page, once the request’s body has arrived', {
    optional: { status: '200 to 599 (default: 502)' },
  }),
  slow_body: describe('answer', 'the answer’s body a few bytes at a time', {
    required: { ms: 'of the emulator’s time between two pieces' },
    optional: { bytes: 'in a piece (default: 1)' },
  }),
  early_response: describe('gate', 'this status while the request’s body is still being sent', {
    optional: {
      bytes: 'of the request’s body read first (default: 0)',
      status: '200 to 599 (default: 503)',
      ...answerParameters,
    },
    in_process: 'this status; the rest of the body is not read',
  }),
}

/** Whether a fault of this type resets the connection before an answer begins. */
export function resetsUnanswered(type: FaultType): boolean {
  return faultTypes[type].in_process === resetInProcess
}

/** An injected failure: which requests it hits, how often, and what it does to them. */
export interface Fault {
  readonly match: FaultMatch
  /** How often it acts, from the `nth` matching request on; null means always. */
  readonly times: number | null
  readonly action: FaultAction
}

/** Which requests match; an omitted field matches all. */
export interface FaultMatch {
  readonly account_id?: number
  readonly method?: string
  /** The path without its query; `*` matches any text, slashes included. */
  readonly path?: string
  /** The first matching request it hits, counted from 1; defaults to 1. */
  readonly nth?: number
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

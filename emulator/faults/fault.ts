/** An injected failure: which requests it strikes, how often, and what it does to them. */
export interface Fault {
  readonly match: FaultMatch
  /** How often it strikes, from the `nth` matching request on; null is every time. */
  readonly times: number | null
  readonly action: FaultAction
}

/** Which requests are meant; what is not named matches all. */
export interface FaultMatch {
  readonly account_id?: number
  readonly method?: string
  /** The path without its query; `*` stands for any text, slashes included. */
  readonly path?: string
  /** The first matching request that is struck, counted from 1, which it is unless given. */
  readonly nth?: number
}

/** What a fault does. Durations are in milliseconds, and pass on the emulator's clock. */
export type FaultAction =
  | ({ readonly type: 'status' } & AnswerInstead)
  | { readonly type: 'delay'; readonly ms: number }
  | { readonly type: 'reset_before' }
  | { readonly type: 'reset_after_body_bytes'; readonly bytes: number }
  | { readonly type: 'commit_then_drop' }
  /** `bytes`: how much of the body is sent; half of it unless given. */
  | { readonly type: 'truncate_response'; readonly bytes?: number }
  | { readonly type: 'malformed_json' }
  /** `bytes`: how many more are declared than there are, below zero how many fewer; 1 unless given. */
  | { readonly type: 'wrong_content_length'; readonly bytes?: number }
  /** `status`: 502 unless given. */
  | { readonly type: 'html_error'; readonly status?: number }
  /** `bytes`: how much is sent at a time, 1 unless given; `ms`: from each time to the next. */
  | { readonly type: 'slow_body'; readonly ms: number; readonly bytes?: number }
  /** `bytes`: how much of the request's body is read first, none unless given. */
  | ({ readonly type: 'early_response'; readonly bytes?: number } & Partial<AnswerInstead>)

/** An answer in the place of the service's. */
export interface AnswerInstead {
  readonly status: number
  /** Text is sent as it is, anything else as JSON; the service's own words for the status unless given. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export type FaultType = FaultAction['type']

/**
 * Where a fault stands in the way of a request. `arrival`: before anything is looked at; `gate`: where the quota is
 * asked next, so that nothing is charged yet; `answer`: it is met at the gate too, and spoils what the service answers.
 */
export type FaultStage = 'arrival' | 'gate' | 'answer'

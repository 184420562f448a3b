import type { PacingWait } from '../pacing/pacer.ts'
import type { RateReport } from '../pacing/rate-report.ts'
import type { LedgerProblem } from '../pacing/shared-ledger/shared-ledger.ts'
import type { RequestInfo } from './errors.ts'

type Headers = Readonly<Record<string, string>>

/** What a client tells its caller while it works. The key is redacted in all of it. */
export type ClientEvent =
  /** A request is about to be sent; `attempt` counts from 1. */
  | { readonly type: 'request'; readonly request: RequestInfo; readonly attempt: number; readonly headers: Headers }
  /** An answer's headers are in. */
  | {
      readonly type: 'response'
      readonly request: RequestInfo
      readonly attempt: number
      readonly status: number
      readonly headers: Headers
      readonly report: RateReport
      readonly durationMs: number
    }
  /** No answer came. */
  | { readonly type: 'failure'; readonly request: RequestInfo; readonly attempt: number; readonly message: string }
  /** The quota asks for patience: nothing is sent for `delayMs`. */
  | ({ readonly type: 'wait'; readonly request: RequestInfo } & PacingWait)
  /** The same request will be sent again after `delayMs`, because of a failure or a 5xx. */
  | {
      readonly type: 'retry'
      readonly request: RequestInfo
      readonly attempt: number
      readonly delayMs: number
      readonly reason: string
    }
  /** The shared ledger cannot be used; told once, for from here on this client counts for itself alone. */
  | ({ readonly type: 'ledger-problem' } & LedgerProblem)

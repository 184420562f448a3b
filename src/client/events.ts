import type { LedgerOutage } from '../pacing/ledger.ts'
import type { PacingWait } from '../pacing/pacer.ts'
import type { RateReport } from '../pacing/rate-headers.ts'
import type { LedgerProblem } from '../pacing/shared/shared-ledger.ts'
import type { RequestInfo } from './errors.ts'

type Headers = Readonly<Record<string, string>>

/** What happens on the wire, for display and logs; the key is redacted. */
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
  /** The quota is used up: nothing is sent for `delayMs`. */
  | ({ readonly type: 'wait'; readonly request: RequestInfo } & PacingWait)
  /** The same request is sent again after `delayMs`, because of a failure or a 5xx. */
  | {
      readonly type: 'retry'
      readonly request: RequestInfo
      readonly attempt: number
      readonly delayMs: number
      readonly reason: string
    }
  /** The shared ledger cannot be used; sent once, because from then on this client counts on its own. */
  | ({ readonly type: 'ledger-problem' } & LedgerProblem)
  /** The ledger of several machines cannot be reached: requests wait for it. */
  | ({ readonly type: 'ledger-outage' } & LedgerOutage)
  /** It can be reached again. */
  | { readonly type: 'ledger-return' }

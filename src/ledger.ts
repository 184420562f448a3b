export type {
  Later,
  Ledger,
  LedgerAccount,
  LedgerEntry,
  LedgerOutage,
  LedgerProvider,
  Reservation,
  Verdict,
} from './pacing/ledger.ts'
export type { NeverFits, PacingOutcome, PacingWait, WaitSource } from './pacing/pacer.ts'
export type { RateReport } from './pacing/rate-headers.ts'
export type { LedgerProblem } from './pacing/shared/shared-ledger.ts'

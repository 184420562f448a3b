import { systemClock } from '../../clock.ts'
import type { WindowName } from '../../protocol/rate-limits.ts'
import type { Quota, WaitSource } from '../pacer.ts'
import { readSharedBook, type SharedLedgerOptions } from './shared-ledger.ts'

/** What a shared ledger says at one moment. */
export interface QuotaReading {
  /** Epoch milliseconds. */
  readonly at: number
  readonly windows: Quota
  /** What keeps every request back beside the count: a refusal, or a service that is switched off. */
  readonly hold: QuotaHold | undefined
}

export interface QuotaHold {
  /** Epoch milliseconds; undefined while a request is out to find out whether it still holds. */
  readonly until: number | undefined
  readonly window: WindowName | undefined
  readonly source: Exclude<WaitSource, 'ledger'>
}

/** Reads the ledger that the processes of this machine share; sends nothing, writes nothing. */
export function readSharedQuota(options: SharedLedgerOptions): QuotaReading {
  const at = (options.clock ?? systemClock).now()
  const book = readSharedBook(options)
  const verdict = book.verdict(1, at)
  const isHeld = verdict.type === 'later' && verdict.source !== 'ledger'
  const hold = isHeld ? { until: verdict.at, window: verdict.window, source: verdict.source } : undefined
  return { at, windows: book.windows(at), hold }
}
